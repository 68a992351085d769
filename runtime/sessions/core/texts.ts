/** The words that stand for a result where there is none. None of them says that a call failed: that would be a claim about its effect. */
import { sessionLogV1 } from '../../contract/data.js';
import type { NoDispatchReason } from './vocabulary.js';

export const resultTexts = sessionLogV1.texts;

export function noDispatchText(reason: NoDispatchReason): string {
  return sessionLogV1.texts.no_dispatch[reason];
}
