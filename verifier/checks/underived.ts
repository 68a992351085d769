/** A model of which nothing can be derived: whatever asks it is unknown, and nothing of its record is judged. */
import { EvidenceError } from '../errors.js';
import type { ModelName, SubjectModel } from './subject-model.js';

export function underived(name: ModelName): SubjectModel {
  const none = (): never => {
    throw new EvidenceError('absent', `This verifier derives nothing of ${name}.`);
  };
  return {
    ...{ name, logName: 'log', logFile: none, record: none, outcome: none, departureFrom: none, endsWithIntent: none },
    ...{ derive: {}, scenarioDepartures: none, answersKept: none, responseKept: none },
  };
}
