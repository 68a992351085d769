/**
 * Texts that two readers take for two things: lists of the bag with foreign line ends and ways out, JSON with repeated names and numbers that no
 * two programs agree on, Unicode that is none, and as much of either as fits.
 */
import type { Editor } from '../../mutations/editor.js';
import { snapshotFolder, type Hostile } from './hostile.js';

const manifest = 'manifest-sha256.txt';
const zeros = '0'.repeat(64);
const plan = 'data/plan.json';
const answer = `${snapshotFolder}answer.json`;

/** Of the list alone: what it says of the files is made good for nobody. */
const list = (what: string, change: (text: string) => string, more: Partial<Hostile> = {}): Hostile =>
  ({
    what: `a list of files with ${what}`,
    disk: undefined,
    edit: (editor) => {
      editor.repin();
      editor.text(manifest, change);
      editor.repinTags();
      editor.repin = () => undefined;
    },
    exit: 1,
    codes: ['bag-malformed'],
    at: manifest,
    ...more,
  }) as Hostile;

const firstLine = (path: string) => (text: string) => `${zeros}  ${path}\n${text}`;

const lists: Hostile[] = [
  list('CRLF', (text) => text.replaceAll('\n', '\r\n')),
  list('CR alone', (text) => text.replaceAll('\n', '\r')),
  list('U+2028 for its line ends', (text) => text.replaceAll('\n', '\u2028')),
  list('a byte order mark', (text) => `\ufeff${text}`),
  list('an absolute path', firstLine('/etc/passwd'), { codes: ['bag-malformed', 'file-missing'], at: '/etc/passwd' }),
  list('a path that leads out', firstLine('../../etc/passwd'), {
    codes: ['bag-malformed', 'file-missing'],
    at: '../../etc/passwd',
  }),
  list('a path that leads out from inside', firstLine('data/../../etc/passwd'), {
    codes: ['file-missing'],
    at: 'data/../../etc/passwd',
  }),
  list('a name that objects have', firstLine('__proto__'), { codes: ['bag-malformed', 'file-missing'], at: '__proto__' }),
  list('a line twice', (text) => text.slice(0, text.indexOf('\n') + 1) + text),
  list('an escape sequence', firstLine('data/\u001b[2J')),
  list('a comment', (text) => `# all is well\n${text}`),
  list('a million lines', (text) => {
    const lines = Array.from({ length: 1_000_000 }, (_line, at) => `${zeros}  data/a/${String(at).padStart(7, '0')}\n`);
    return lines.join('') + text;
  }),
];

/** A plan is no canonical JSON, so what it says twice shows nowhere else. */
const planned = (what: string, change: (text: string) => string, says: RegExp, more: Partial<Hostile> = {}): Hostile => ({
  what: `a plan with ${what}`,
  edit: (editor) => editor.text(plan, change),
  exit: 1,
  codes: ['plan-malformed', 'plan-unpinned'],
  at: plan,
  says,
  ...more,
});

const first = (member: string) => (text: string) => text.replace('{', `{${member},`);
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const scenario = (member: string) => (text: string) => text.replace('"scenarios":{', `"scenarios":{${member},`);

const plans: Hostile[] = [
  planned('a name twice', first('"title":"Another"'), /name twice/),
  planned('a name twice, once with an escape', first('"t\\u0069tle":"Another"'), /name twice/),
  planned('a member __proto__', first('"__proto__":{"model":"sessions/v1"}'), /not a plan/),
  planned('a scenario under __proto__, twice', scenario('"__proto__":{},"__proto__":{}'), /name twice/),
  planned('a lone surrogate in a name', scenario('"\\ud800":{}'), /lone surrogate/),
  planned('a lone surrogate, as bytes', scenario('"x":"\u0001"'), /not UTF-8|not JSON/),
  planned('100,000 levels', scenario(`"x":${deep(100_000)}`), /deeper than 256/),
  ...['1e400', '-0', '9007199254740993', '1.0', '1e3', '0.1'].map((number) =>
    planned(`the number ${number}`, scenario(`"x":{"a":${number}}`), /number/),
  ),
  planned('a leading zero', scenario('"x":{"a":01}'), /not JSON/),
  planned('a byte order mark', (text) => `\ufeff${text}`, /not JSON/),
  planned('an id that leads out', (text) => text.replace('"id":"control"', '"id":"../../control"'), /not a plan/),
  planned('an arm whose name leads out', (text) => text.replace('"id":"naive"', '"id":".."'), /not a plan/),
  planned('an escape sequence in a name', first('"\\u001b[31m":1'), /not a plan/),
  planned('more snapshots than there is memory for', endless, /stands for/),
];

function endless(text: string): string {
  const value = JSON.parse(text) as { cases: { arms: Record<string, unknown>[] }[] };
  const [arms] = value.cases.map((one) => one.arms).filter(({ length }) => length > 0);
  const commits = [1, Number.MAX_SAFE_INTEGER];
  arms?.push({
    ...arms[0],
    id: 'endless',
    role: 'resume',
    crash: { model: 'crash-in-recovery', depth: 2, same_events: true, commits },
  });
  return JSON.stringify(value);
}

/** Of a document that is canonical or nothing. */
const fact = (what: string, change: (editor: Editor) => void, says: RegExp, more: Partial<Hostile> = {}): Hostile => ({
  what: `an answer ${what}`,
  edit: change,
  exit: 1,
  codes: ['record-malformed'],
  says,
  ...more,
});

const text = (change: (text: string) => string) => (editor: Editor) => editor.text(answer, change);
const bytes = (made: () => Buffer) => (editor: Editor) => void editor.files.set(answer, made());

const facts: Hostile[] = [
  fact('with a name twice', text(first('"status":"failed"')), /canonical/),
  fact('with __proto__', text(first('"__proto__":{"status":"failed"}')), /canonical|shape|not an answer/),
  fact(
    'with CRLF',
    text((all) => all.replace('\n', '\r\n')),
    /line feed|canonical|JSON/,
  ),
  fact(
    'with a byte order mark',
    text((all) => `\ufeff${all}`),
    /JSON/,
  ),
  fact('with a lone surrogate', text(first('"a":"\\udc00"')), /surrogate|canonical/),
  fact(
    'with bytes that are no UTF-8',
    bytes(() => Buffer.from([0x22, 0xff, 0x22, 0x0a])),
    /UTF-8/,
  ),
  fact(
    'of 100,000 levels',
    bytes(() => Buffer.from(`${deep(100_000)}\n`)),
    /256 levels|deeper/,
  ),
  fact(
    'of 30,000,000 levels',
    bytes(() => Buffer.from(`${deep(30_000_000)}\n`)),
    /256 levels|deeper/,
  ),
  fact(
    'of 60,000,000 empty objects',
    bytes(() => Buffer.from(`[${'{},'.repeat(60_000_000)}{}]\n`)),
    /more values/,
  ),
  fact(
    'of 300 MiB of spaces',
    bytes(() => Buffer.alloc(300 * 2 ** 20, 0x20)),
    /larger than/,
    { within: { mebibytes: 1024 } },
  ),
  fact(
    'of nothing but line feeds',
    bytes(() => Buffer.alloc(200 * 2 ** 20, 0x0a)),
    /JSON|larger/,
    { within: { mebibytes: 1024 } },
  ),
  ...['1e400', '-0', '9007199254740993', '1.0'].map((number) =>
    fact(`with the number ${number}`, text(first(`"a":${number}`)), /canonical|safe integer/),
  ),
];

export const texts: readonly Hostile[] = [...lists, ...plans, ...facts];
