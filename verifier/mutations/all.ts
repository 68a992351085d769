/** How to break a good bundle, by the model of its plan: the shared families and those of the model, never those of another one. */
import type { FindingCode } from '../checks/check.js';
import type { ModelName } from '../checks/subject-model.js';
import { callsMutations } from './calls/all.js';
import type { Mutation } from './editor.js';
import { sessionsMutations } from './sessions/all.js';

type ByCode = Readonly<Partial<Record<FindingCode, readonly Mutation[]>>>;

const mutations = {
  'calls/v1': callsMutations,
  'sessions/v1': sessionsMutations,
} satisfies Record<ModelName, ByCode>;

/** The compiler holds all of them together against the codes; a test holds those of each model against the codes of its checks. */
({ ...mutations['calls/v1'], ...mutations['sessions/v1'] }) satisfies Record<FindingCode, readonly Mutation[]>;

export function mutationsOf(model: ModelName): ByCode {
  return mutations[model];
}
