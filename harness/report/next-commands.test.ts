import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { WorkState } from '../contract/types.js';
import { commandLine, quoted } from './command-line.js';
import { commandsFor, variables } from './next-commands.js';
import { wayOnLines, waysOn } from './way-on.js';

const state = (next_operation: WorkState['task']['next_operation'], on: string | null, calls: string[] = []): WorkState =>
  ({ task_id: 'review-1', task: { next_operation, on }, calls: calls.map((call_id) => ({ call_id })) }) as unknown as WorkState;
const place = { own: 'killpoint', state: "/tmp/it's here", subjects: [], copy: null };

describe('the commands for an operation', () => {
  it.each<[WorkState['task']['next_operation'], string[]]>([
    ['start_call', ['resume']],
    ['recompile', ['recompile']],
    ['fix_inputs', ['fix-inputs']],
    ['reconcile_effect', ['reconcile', 'reconcile', 'reconcile']],
    ['decide', ['reconcile', 'reconcile', 'reconcile', 'reconcile', 'accept']],
    ['reinterpret', ['reinterpret']],
    ['redecide', ['redecide']],
    ['start_next_attempt', ['retry']],
    ['finalize', ['finalize']],
    ['check_and_accept', ['accept', 'accept']],
    ['none', []],
  ])('%s', (operation, names) => {
    const commands = commandsFor(state(operation, operation === 'none' ? null : 'call-6'));
    expect(commands.map(({ name }) => name)).toEqual(names);
    for (const { args, when } of commands) {
      expect(args[0]).toBe('call-6');
      expect(when === '').toBe(names.length === 1);
      for (const word of args.filter((arg) => arg.startsWith('$'))) expect(Object.keys(variables)).toContain(word.slice(1));
    }
  });

  it('a fixed call is sent, a fixed compilation is not', () => {
    expect(commandsFor(state('fix_inputs', 'call-6', ['call-6']))[0]?.args).toContain('--provider');
    expect(commandsFor(state('fix_inputs', 'compilation-4', ['call-6']))[0]?.args).not.toContain('--provider');
  });
});

describe('a printed line', () => {
  it('reaches the program as it was meant, through a real shell', () => {
    const words = ['retry', place.state, 'call-6', '--provider', '$PROVIDER_URL', '*', ''];
    const line = commandLine('printf %s\\\\n', words);
    const said = execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { PROVIDER_URL: 'http://h/a b' } });
    expect(said).toBe(['retry', place.state, 'call-6', '--provider', 'http://h/a b', '*', '', ''].join('\n'));
    expect(quoted('$HOME/x')).toBe("'$HOME/x'");
  });

  it('is told of subjects of one’s own, and what its variables mean', () => {
    const told = { ...place, subjects: ['/my subject'] };
    expect(wayOnLines(waysOn([state('start_next_attempt', 'call-6')], told), told)).toEqual([
      'To carry it out (--dry-run says what would be appended and sent):',
      `  killpoint retry '/tmp/it'\\''s here' call-6 --provider "$PROVIDER_URL" --subject '/my subject'`,
      "PROVIDER_URL: your provider's URL",
    ]);
  });

  it('acts on a copy of evidence, never on it', () => {
    const evidence = { ...place, copy: './killpoint-state-2' };
    const lines = wayOnLines(waysOn([state('finalize', 'call-6')], evidence), evidence);
    expect(lines).toContain(`  mkdir ./killpoint-state-2 && cp -R '/tmp/it'\\''s here'/. ./killpoint-state-2`);
    expect(lines).toContain('  killpoint finalize ./killpoint-state-2 call-6');
  });

  it('says so where nothing is left, and is not there where nothing is recorded', () => {
    expect(wayOnLines(waysOn([state('none', null)], place), place)).toEqual(['Nothing is left to carry out.']);
    expect(wayOnLines([], place)).toEqual([]);
  });
});
