import { describe, expect, it } from 'vitest';
import { canonical } from '../../read/canonical.js';
import { readEvidence } from './reconciliation.js';

const asking = {
  ...{
    body: { data: '{"found":false}', encoding: 'utf8' },
    content_type: 'application/json',
    ended: 'complete',
    fencing_token: null,
  },
  ...{ method: 'GET', path: '/keys/key-1', request_sha256: 'a'.repeat(64), status: 404 },
};
const nothing = { body: null, content_type: null, status: null };

describe('evidence', () => {
  const asked = { basis: 'provider_lookup', exchange: asking, statement: null };
  const stated = { basis: 'operator_statement', exchange: null, statement: { by: 'somebody', note: '' } };
  const read = (value: unknown) => readEvidence(Buffer.from(canonical(value)));

  it('is an exchange or a statement', () => {
    expect(read(asked)).toEqual(asked);
    expect(read(stated)).toEqual(stated);
    expect(read({ ...asked, exchange: { ...asking, ...nothing, ended: 'timed_out' } })).not.toBeNull();
  });

  it.each<[string, unknown]>([
    ['of both', { ...asked, statement: stated.statement }],
    ['of neither', { ...stated, statement: null }],
    ['of another basis', { ...asked, basis: 'operator_statement' }],
    ['with a member more', { ...asked, note: '' }],
    ['with an exchange that says more', { ...asked, exchange: { ...asked.exchange, at: 'now' } }],
    ['with a status of what never came', { ...asked, exchange: { ...asked.exchange, ended: 'timed_out' } }],
    ['with an end of another kind', { ...asked, exchange: { ...asked.exchange, ended: 'refused' } }],
    ['that is a list', []],
  ])('%s is none', (_what, value) => expect(read(value)).toBeNull());

  it('that is not canonical is none', () => expect(readEvidence(Buffer.from(JSON.stringify(stated, null, 1)))).toBeNull());
});
