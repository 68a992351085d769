/** The tokenizer and its table, inside the one file. */
import * as library from 'js-tiktoken/lite';
import * as ranks from 'js-tiktoken/ranks/o200k_base';
import { carry } from '../read/packages.js';

carry('js-tiktoken/lite', library);
carry('js-tiktoken/ranks/o200k_base', ranks);
