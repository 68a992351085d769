/** The plans that come with this installation, as somebody who stands in a folder would write them. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Installation } from './installation.js';

/** None where they were left out. */
export function shippedPlans({ packageRoot }: Pick<Installation, 'packageRoot'>, from: string): string[] {
  const folder = join(packageRoot, 'preregistrations');
  return namesIn(folder).map((name) => {
    const near = relative(from, join(folder, name));
    return near.startsWith('..') ? join(folder, name) : near;
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}
