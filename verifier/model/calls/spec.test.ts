import { describe, expect, it } from 'vitest';
import { canonical, parseJson, decodeUtf8 } from '../../read/canonical.js';
import { scenario } from '../../testing/scenario.js';
import { Book } from '../../testing/world.js';
import { historyOf } from './history.js';
import { comparable, driftFrom, misstated, readSpec, type Spec } from './spec.js';

const book = new Book().open();
book.specs = true;
const ids = book.want(book.compile());
book.manifest(ids);
const { calls, compilations } = historyOf(book.events);
const call = calls.get(ids.call_id ?? '');
const compilation = compilations.get(ids.compilation_id ?? '');
if (call === undefined || compilation === undefined) throw new Error('The book has its call.');
const bytes = book.artifacts.get(call.specSha256 ?? '')?.bytes ?? Buffer.alloc(0);
const body = book.artifacts.get(book.hashes.request_body_sha256)?.bytes;
const spec = parseJson(decodeUtf8(bytes)) as unknown as Spec;
const read = (value: unknown) => readSpec(Buffer.from(canonical(value)));

describe('a spec', () => {
  it('is read where it has its members, and those alone', () => {
    expect(readSpec(bytes)).toEqual(spec);
    for (const name of Object.keys(spec)) {
      const { [name as keyof Spec]: _left, ...rest } = spec;
      expect(read(rest), name).toBeNull();
    }
    expect(read({ ...spec, more: 1 })).toBeNull();
    expect(readSpec(Buffer.from('{}'))).toBeNull();
    expect(readSpec(Buffer.from(JSON.stringify(spec, null, 1)))).toBeNull();
  });

  it('is what request, compilation, manifest and body say', () => {
    expect(misstated(spec, call, compilation, body)).toEqual([]);
    expect(misstated({ ...spec, context_package_sha256: null }, call, undefined, body)).toEqual([]);
  });

  it.each(Object.keys(spec) as (keyof Spec)[])('that has another %s is not', (name) =>
    expect(misstated({ ...spec, [name]: 'another' }, call, compilation, body)).toEqual([name]),
  );

  it('without a manifest is held against the request alone', () => {
    const { manifest: _manifest, ...bare } = call;
    const other = { ...spec, model: 'x', retry_policy: 'x', tools: 'x', instruction: 'x' };
    expect(misstated(other, bare, compilation, undefined)).toEqual(['instruction']);
  });
});

describe('drift', () => {
  const given = scenario();
  const drifted = (change: (value: ReturnType<typeof scenario>) => object): string[] =>
    [...driftFrom(spec, change(given), compilation)].sort();

  it('is none where the scenario is the same', () => expect(drifted((same) => same)).toEqual([]));

  const changes: Record<string, (value: ReturnType<typeof scenario>) => object> = {
    context_package: (one) => ({ ...one, context: { ...one.context, budget_tokens: 63 } }),
    model: (one) => ({ ...one, call: { ...one.call, model: 'another' } }),
    provider: (one) => ({ ...one, call: { ...one.call, honours_key: true } }),
    renderer: (one) => ({ ...one, context: { ...one.context, renderer_version: 2 } }),
    retry_policy: (one) => ({ ...one, call: { ...one.call, retry: { ...one.call.retry, max_attempts: 3 } } }),
    system: (one) => ({ ...one, call: { ...one.call, system: 'You review!' } }),
    tools: (one) => ({ ...one, call: { ...one.call, tools: [{ name: 'look' }] } }),
  };

  it.each(Object.entries(changes))('names %s alone', (name, change) => expect(drifted(change)).toEqual([name]));

  it('is told of every member that can be compared', () => expect(Object.keys(changes).sort()).toEqual([...comparable].sort()));

  it('an empty list of tools is none', () =>
    expect(drifted((one) => ({ ...one, call: { ...one.call, tools: [] } }))).toEqual([]));
});
