import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argumentsProblem } from './arguments.js';
import type { Tool } from './vocabulary.js';

const declared: Tool['arguments'] = [
  { name: 'to', type: 'string', required: true },
  { name: 'cents', type: 'integer', required: false },
  { name: 'dry', type: 'boolean', required: false },
];
const accepted = (text: string): boolean => argumentsProblem(text, declared) === null;

describe('arguments are taken', () => {
  test.each([
    '{"to":"me"}',
    ' { "to" : "me" ,\t"cents" : 5\n, "dry":false }\r\n',
    '{"dry":true,"cents":-0,"to":""}',
    '{"to":"\\u00e9\\ud83d\\ude00 é😀 \\"\\\\\\/\\b\\f\\n\\r\\t"}',
    '{"\\u0074o":"me"}',
    '{"to":"{\\"to\\":1}"}',
    '{"to":"me","cents":9007199254740991}',
    '{"to":"me","cents":-9007199254740991}',
    '{"to":"me","cents":5.0}',
    '{"to":"me","cents":12e2}',
    '{"to":"me","cents":1.20e1}',
    '{"to":"me","cents":1200e-2}',
    '{"to":"me","cents":0.000}',
  ])('%s', (text) => {
    expect(argumentsProblem(text, declared)).toBe(null);
  });
  test('that are empty, where nothing is required', () => {
    for (const text of ['{}', ' {\n} ']) expect(argumentsProblem(text, [])).toBe(null);
  });
  test('under a name that means something to the language', () => {
    expect(argumentsProblem('{"__proto__":"x"}', [{ name: '__proto__', type: 'string', required: true }])).toBe(null);
    expect(argumentsProblem('{"to":"me","__proto__":"x"}', declared)).not.toBe(null);
    expect(argumentsProblem('{}', [{ name: 'constructor', type: 'string', required: true }])).not.toBe(null);
  });
});

describe('arguments are refused', () => {
  const cases: [string, string][] = [
    ['nothing', ''],
    ['white space', ' '],
    ['no object', '"to"'],
    ['null', 'null'],
    ['a list', '["to"]'],
    ['a list around the object', '[{"to":"me"}]'],
    ['two objects', '{"to":"me"}{"to":"me"}'],
    ['more behind it', '{"to":"me"}x'],
    ['a byte order mark', '\ufeff{"to":"me"}'],
    ['another white space', '{\u00a0"to":"me"}'],
    ['a comment', '{"to":"me"/**/}'],
    ['a comma too many', '{"to":"me",}'],
    ['a comma first', '{,"to":"me"}'],
    ['no comma', '{"to":"me" "dry":true}'],
    ['no colon', '{"to" "me"}'],
    ['no end', '{"to":"me"'],
    ['an open text', '{"to":"me}'],
    ['a name without quotes', '{to:"me"}'],
    ['single quotes', "{'to':'me'}"],
    ['a control character', '{"to":"a\u0001"}'],
    ['a line break in a text', '{"to":"a\nb"}'],
    ['an escape that is none', '{"to":"\\x41"}'],
    ['an escape that is cut', '{"to":"\\u00e"}'],
    ['half of a surrogate pair, escaped', '{"to":"\\ud800"}'],
    ['half of a surrogate pair in a name', '{"to":"me","\\udfff":1}'],
    ['half of a surrogate pair, raw', '{"to":"\ud800"}'],
    ['two halves in the wrong order', '{"to":"\\ude00\\ud83d"}'],
    ['a member twice', '{"to":"me","to":"you"}'],
    ['a member twice, once escaped', '{"to":"me","\\u0074o":"you"}'],
    ['a member twice, hiding an object', '{"to":{"a":1},"to":"me"}'],
    ['a member too many', '{"to":"me","more":1}'],
    ['a member missing', '{"cents":5}'],
    ['a text for an integer', '{"to":"me","cents":"5"}'],
    ['an integer for a text', '{"to":5}'],
    ['a text for a truth value', '{"to":"me","dry":"true"}'],
    ['one for true', '{"to":"me","dry":1}'],
    ['null for a text', '{"to":null}'],
    ['a fraction', '{"to":"me","cents":1.5}'],
    ['a fraction that rounds to an integer', '{"to":"me","cents":1.00000000000000000001}'],
    ['a fraction by its exponent', '{"to":"me","cents":15e-1}'],
    ['an integer that is not safe', '{"to":"me","cents":9007199254740992}'],
    ['an integer that rounds to a safe one', '{"to":"me","cents":9007199254740991.4}'],
    ['an integer without end', '{"to":"me","cents":1e400}'],
    ['almost nothing', '{"to":"me","cents":1e-400}'],
    ['not a number', '{"to":"me","cents":NaN}'],
    ['a leading zero', '{"to":"me","cents":05}'],
    ['a plus', '{"to":"me","cents":+5}'],
    ['a bare minus', '{"to":"me","cents":-}'],
    ['hexadecimal', '{"to":"me","cents":0x5}'],
    ['an object for a text', '{"to":{}}'],
    ['True', '{"to":"me","dry":True}'],
  ];
  test.each(cases)('%s', (_, text) => {
    expect(argumentsProblem(text, declared)).not.toBe(null);
  });
  test('nested deeper than any stack, at once', () => {
    for (const open of ['[', '{"to":', '{"to":[']) {
      const deep = `{"to":${open.repeat(20_000)}`;
      expect(argumentsProblem(deep, declared)).not.toBe(null);
      expect(argumentsProblem(open.repeat(20_000), declared)).not.toBe(null);
    }
  });
  test('and a long text that does not end', () => {
    const long = 'a\\n'.repeat(20_000);
    expect(argumentsProblem(`{"to":"${long}"}`, declared)).toBe(null);
    expect(argumentsProblem(`{"to":"${long}`, declared)).not.toBe(null);
  });
});

describe('the reading is that of JSON', () => {
  test('what JSON makes of declared members is taken, in whatever spacing', () => {
    const members = fc.record(
      { to: fc.string({ unit: 'grapheme' }), cents: fc.maxSafeInteger(), dry: fc.boolean() },
      { requiredKeys: ['to'] },
    );
    fc.assert(
      fc.property(members, fc.constantFrom('', ' ', '\t', '\n  '), (value, space) => {
        expect(accepted(JSON.stringify(value, null, space))).toBe(true);
      }),
    );
  });
  test('what JSON.parse refuses is refused', () => {
    fc.assert(
      fc.property(
        fc.constant('{"to":"me","cents":5,"dry":true}'),
        fc.nat(40),
        fc.constantFrom('"', '\\', '}', ',', '0', 'e', ''),
        (text, at, put) => {
          const broken = `${text.slice(0, at)}${put}${text.slice(at + 1)}`;
          let parses = true;
          try {
            JSON.parse(broken);
          } catch {
            parses = false;
          }
          if (!parses) expect(accepted(broken)).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});
