/**
 * Versions that evidence records: Node, SQLite, packages, kernel. SQLite before 3.51.3 can lose commits at a WAL reset (3.50.7 and
 * 3.44.6 carry the repair).
 */
import Database from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { arch, availableParallelism, release } from 'node:os';
import { join } from 'node:path';
import type { Installation } from '../io/installation.js';
import type { Check } from './check.js';

export function sqliteVersion(): string {
  const database = new Database(':memory:');
  try {
    return String(database.prepare('select sqlite_version()').pluck().get());
  } finally {
    database.close();
  }
}

export function hasWalResetDefect(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3) return major < 3;
  if (minor === 44) return patch < 6;
  if (minor === 50) return patch < 7;
  return minor < 51 || (minor === 51 && patch < 3);
}

export function packageVersions(installation: Installation): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(installation.packageRoot, 'package.json'), 'utf8')) as {
    version?: string;
    dependencies?: Record<string, string>;
  };
  return { ...manifest.dependencies, killpoint: manifest.version ?? '0.0.0' };
}

export function platformFacts(fileSystem: string): { kernel: string; arch: string; file_system: string; cores: number } {
  return { kernel: release(), arch: arch(), file_system: fileSystem, cores: availableParallelism() };
}

export function probeVersions(): Check[] {
  const sqlite = sqliteVersion();
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return [
    {
      name: 'linux',
      available: process.platform === 'linux',
      weight: 'needed',
      detail:
        process.platform === 'linux'
          ? `Linux ${release()}, ${arch()}`
          : `${process.platform}: verifying works here, running does not`,
    },
    {
      name: 'node',
      available: major > 20 || (major === 20 && minor >= 19),
      weight: 'needed',
      detail: `Node ${process.versions.node} (20.19 or later is needed)`,
    },
    {
      name: 'sqlite',
      available: !hasWalResetDefect(sqlite),
      weight: 'needed',
      detail: `SQLite ${sqlite}${hasWalResetDefect(sqlite) ? ', which can lose commits at a WAL reset' : ''}`,
    },
    {
      name: 'process_group',
      available: process.platform !== 'win32',
      weight: 'needed',
      detail: 'each role leads a process group of its own',
    },
    { name: 'cores', available: true, weight: 'information', detail: `${availableParallelism()} for this process` },
  ];
}
