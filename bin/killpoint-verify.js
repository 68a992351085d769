#!/usr/bin/env node
import { launch } from './launch.js';

await launch('verifier/cli/main.js');
