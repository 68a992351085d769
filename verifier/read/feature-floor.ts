/**
 * `wal-feature-floor` → the features that any reader of the folder must understand. It is written before the first frame that requires
 * a feature, so it is never behind the log; a folder without the file requires nothing.
 */
import { EvidenceError } from '../errors.js';
import { parseCanonicalFile } from './canonical.js';
import { isFeatureList, unreadFeatures } from './session-frame.js';

export interface FeatureFloor {
  readonly present: boolean;
  readonly features: readonly string[];
  /** Those that a reader of this version refuses. */
  readonly unread: readonly string[];
  /** Why the file cannot be read; the features are then none. */
  readonly problem: string | null;
}

export function readFeatureFloor(bytes: Uint8Array | undefined): FeatureFloor {
  if (bytes === undefined) return { present: false, features: [], unread: [], problem: null };
  try {
    const features = featuresIn(parseCanonicalFile(bytes));
    return { present: true, features, unread: unreadFeatures(features), problem: null };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { present: true, features: [], unread: [], problem: error.message };
  }
}

function featuresIn(value: unknown): string[] {
  if (value !== null && typeof value === 'object' && Object.keys(value).join() === 'features,version') {
    const { features, version } = value as { features: unknown; version: unknown };
    if (version === 'feature-floor/v1' && isFeatureList(features)) return features;
  }
  throw new EvidenceError('wrong-shape', 'This is not a feature floor.');
}
