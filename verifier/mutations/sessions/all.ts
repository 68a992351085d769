/** At least one way to break a good bundle about sessions for every finding code that it can have. */
import { grouped } from '../places.js';
import { sharedMutations } from '../shared.js';
import { logMutations } from './log.js';
import { completed, recovered } from './places.js';
import { raceMutations } from './races.js';
import { recordMutations } from './record.js';
import { requestMutations } from './requests.js';
import { roleMutations } from './roles.js';

export const sessionsMutations = grouped([
  ...[sharedMutations(recovered, completed), logMutations, recordMutations, raceMutations, requestMutations, roleMutations],
]);
