/**
 * What is said in several places is said alike: guarantees and finding codes, event types and checkpoints, schemas and documents.
 *
 * The lists are read from the files themselves, so that a code added to the verifier without a sentence, or an event type
 * without a checkpoint, fails here.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = (path: string): string => readFileSync(path, 'utf8');
const contract = text('evidence/schema/README.md');
const guarantees = [...contract.matchAll(/^\| (G\d+) \| (.+?) \| (.+?) \|$/gm)];
const documented = guarantees.flatMap(([, , , codes]) =>
  [...(codes ?? '').matchAll(/`([a-z-]+)`/g)].map(([, code]) => code ?? ''),
);

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('contract/'))
    .map((path) => text(`${folder}/${path}`));
}

const verifierSources = sourcesBelow('verifier').join('\n');
const { 'calls/v1': calls } = JSON.parse(text('evidence/schema/checkpoints.json')) as {
  'calls/v1': { committed: string[]; read: string[]; any: string[]; together: string[][] };
};

describe('finding codes', () => {
  it('are each documented under one guarantee', () => {
    const numbers = guarantees.map(([, number = '']) => Number(number.slice(1)));
    expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
    expect(documented.length).toBeGreaterThan(30);
    expect(new Set(documented).size).toBe(documented.length);
  });

  it('are all known to the verifier, each with a guarantee of the same number', () => {
    const unknown = documented.filter((code) => !verifierSources.includes(`'${code}'`));
    expect(unknown).toEqual([]);
  });

  it('of the verifier are all documented', () => {
    const declared = /findingCodes\s*=\s*\[([\s\S]*?)\]/.exec(text('verifier/checks/check.ts'))?.[1] ?? '';
    const codes = [...declared.matchAll(/'([a-z]+(?:-[a-z]+)+)'/g)].map(([, code]) => code ?? '');
    expect([...new Set(codes)].toSorted()).toEqual(documented.toSorted());
  });
});

describe('checkpoints', () => {
  const schemas = readdirSync('evidence/schema/events').map((file) => file.replace('.schema.json', ''));

  it('are the event types, each with a schema', () => {
    expect(calls.committed.toSorted()).toEqual(schemas.toSorted());
  });

  it('join only what is listed', () => {
    expect(calls.together.flat().filter((name) => !calls.committed.includes(name))).toEqual([]);
  });

  it('are the ones that the subject offers', () => {
    const [subject] = readdirSync('runtime/subjects', { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('subject.json'),
    );
    const { checkpoints } = JSON.parse(text(`runtime/subjects/${subject}`)) as { checkpoints: string[] };
    expect(checkpoints.toSorted()).toEqual([...calls.committed, ...calls.read, ...calls.any].toSorted());
  });

  it('are all in the plans, killed or named as what they are together with', () => {
    const plans = readdirSync('preregistrations').filter((name) => name.endsWith('.json'));
    const killed = new Set(
      plans.flatMap((name) =>
        [...text(`preregistrations/${name}`).matchAll(/"checkpoint":\s*"([^"]+)"/g)].map(([, place]) => place),
      ),
    );
    expect(calls.committed.filter((name) => !killed.has(name))).toEqual([]);
  });
});

describe('documents', () => {
  it('link only to what exists', () => {
    for (const path of [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'DECISIONS.md',
      'CHANGELOG.md',
      'evidence/schema/README.md',
    ]) {
      const links = [...text(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link]) => link ?? '');
      const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
      const dead = links.filter((link) => readable(`${folder}${link}`) === undefined);
      expect(dead, path).toEqual([]);
    }
  });
});

function readable(path: string): string[] | string | undefined {
  try {
    return path.endsWith('/') ? readdirSync(path) : text(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return [];
    return undefined;
  }
}
