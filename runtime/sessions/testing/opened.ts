/** Sessions and their strict provider for one test file: opened as a test says, and put away after each test. */
import { afterEach } from 'vitest';
import type { SessionOptions } from '../api/options.js';
import type { Session } from '../api/session.js';
import type { Frame } from '../core/records.js';
import { create, newFolder } from './session.js';
import { startStrictProvider, type Behaviours, type StrictProvider } from './strict-provider.js';

export interface Opened {
  session: Session;
  provider: StrictProvider;
  folder: string;
  /** The types in each barrier that became durable. */
  barriers: string[];
}

/** Every provider must have been asked nothing that a strict one refuses. */
export function openedSessions(): (behaviours: Behaviours, options?: SessionOptions) => Promise<Opened> {
  const opened: Opened[] = [];
  afterEach(async () => {
    for (const { session, provider } of opened.splice(0)) {
      session.close();
      await provider.close();
    }
  });
  return async (behaviours, options = {}) => {
    const provider = await startStrictProvider(behaviours);
    const folder = newFolder();
    const barriers: string[] = [];
    const session = create(folder, provider.url, {
      ...options,
      onCommitted: (committed: readonly Frame[]) => {
        barriers.push(committed.map(({ type }) => type).join(' '));
        options.onCommitted?.(committed);
      },
    });
    const one = { session, provider, folder, barriers };
    opened.push(one);
    return one;
  };
}
