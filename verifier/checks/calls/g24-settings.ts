/**
 * G24: Every role that answered ran with write-ahead logging, FULL synchronisation and a SQLite without the WAL-reset defect.
 * Verified: the settings that each role read back and wrote into its answer; that all ran one SQLite and one Node, the recorded ones.
 * Not verified: a killed role, which wrote no answer; the settings say nothing about the disk below.
 */
import { need, perItem, type CaseCheck } from '../check.js';
import { answersOf } from '../answers.js';

const notOpened = new Set(['OwnerAlive', 'StateAbsent', 'StateUnfinished']);
const full = 2;
/** More than FULL, and the most there is. */
const extra = 3;

export const g24: CaseCheck = {
  guarantee: 'G24',
  sentence:
    'Every role that answered ran with write-ahead logging, FULL synchronisation and a SQLite without the WAL-reset defect.',
  covers: 'the settings in every answer that a role wrote; one version of SQLite and Node in all',
  doesNotCover: 'killed roles, which wrote none; the disk below',
  codes: ['settings-weak'],
  scope: 'case',
  check({ snapshots }, { execution }) {
    return perItem(
      answersOf(snapshots),
      ({ snapshot, file }) => ({ case: snapshot.caseId, snapshot: snapshot.name, file, seq: null }),
      ({ answer }, say) => {
        const { settings, refusal } = need(answer);
        const { synchronous = 0, sqlite = '' } = settings;
        const recorded = need(execution).versions;
        // A role that met a living owner, or a state that was never finished, opened no ledger, and says so.
        const unopened = notOpened.has(refusal?.error ?? '') && settings.journal_mode === 'unopened';
        if (!unopened && settings.journal_mode !== 'wal') say('settings-weak', 'The ledger was not in write-ahead mode.');
        if (!unopened && (synchronous < full || synchronous > extra))
          say('settings-weak', 'The ledger was not synchronised fully.');
        if (!withoutResetDefect(sqlite)) say('settings-weak', 'This SQLite has the WAL-reset defect.');
        if (sqlite !== recorded.sqlite) say('settings-weak', 'A role ran another SQLite than the recorded one.');
        if (settings.node !== recorded.node) say('settings-weak', 'A role ran another Node than the recorded one.');
      },
    );
  },
};

/** Mended in 3.51.3, and in the later patches of the two branches that got a back-port. */
function withoutResetDefect(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (![major, minor, patch].every(Number.isSafeInteger) || major !== 3) return major > 3;
  if (minor > 51) return true;
  return (minor === 51 && patch >= 3) || (minor === 50 && patch >= 7) || (minor === 44 && patch >= 6);
}
