/** The serve role of a subject for as long as a command looks at states. */
import { join } from 'node:path';
import type { ServeAnswer } from '../contract/types.js';
import type { Installation } from '../io/installation.js';
import { makeMemoryFolder } from '../io/memory-folder.js';
import type { Content } from '../power-loss/content.js';
import { createWorker } from '../power-loss/worker.js';
import { spawnRole } from '../process/spawn.js';
import { startWatchdog } from '../process/watchdog-client.js';
import { commandOf, type InstalledSubject } from '../subject/find.js';

interface Served {
  readonly installation: Installation;
  readonly subject: InstalledSubject;
}

/** What the serve role makes of each state that it is given; nobody of it is left. */
export async function withServe<T>(
  { installation, subject }: Served,
  use: (lookAt: (files: ReadonlyMap<string, Content>) => Promise<ServeAnswer>) => Promise<T>,
): Promise<T> {
  const { file, args } = commandOf(subject, 'serve', installation);
  const folder = makeMemoryFolder('killpoint-replay');
  const watchdog = startWatchdog(installation.watchdog);
  const spawn = { file, args, folder: subject.folder, environment: {}, cgroupHome: null, watchdog, talks: true } as const;
  const worker = createWorker({ start: () => spawnRole(spawn), folder: join(folder.path, 'state'), deadlineMs: 60_000 });
  try {
    return await use(worker.lookAt);
  } finally {
    try {
      await worker.end();
    } finally {
      await watchdog.end();
      folder.remove();
    }
  }
}
