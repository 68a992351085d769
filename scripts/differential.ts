/**
 * Random histories of calls and sessions, lawful and broken: what the runtime projects, what the verifier derives and what a naive reading of
 * the contract's words gives must be the same.
 *
 * `tsx scripts/differential.ts [--histories <n>] [--seed <n>] [--subject calls|sessions] [--workers <n>] [--resume]` compares, prints a
 * summary and leaves it in `evidence/runs/differential.json`; `--resume` goes on where the same comparison of the same build was interrupted. `--planted [<name>…]` also plants each patch of `scripts/differential/planted/` in
 * a copy of the runtime or of the verifier and prints how many histories it takes to find it; with `--histories 0` it does only that. `--path
 * <path> --kind lawful|broken|mixed` has one history again, shrunk. Exits 1 at a disagreement, where a stage was not reached, or where a planted
 * defect was not found within 1,000 histories; 64 if it is asked for what is not there.
 */
import { parseArgs } from 'node:util';
import { ensureBuild, orExit, root } from './build.mjs';
import { runCampaign } from './differential/campaign.js';
import type { Subject } from './differential/history/drafts.js';
import type { Kind } from './differential/history/generate.js';
import { plantedNames } from './differential/planted.js';
import { compareAll, isQuiet } from './differential/whole.js';
import { contractOf } from './differential/write/contract.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    histories: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    resume: { type: 'boolean', default: false },
    workers: { type: 'string', default: '2' },
    subject: { type: 'string' },
    kind: { type: 'string', default: 'mixed' },
    path: { type: 'string' },
    planted: { type: 'boolean', default: false },
    'owner-every': { type: 'string', default: '10' },
  },
});
const known: readonly Subject[] = ['calls', 'sessions'];
const subjects = known.filter((one) => values.subject === undefined || one === values.subject);
const numbers = [values.histories, values.workers, values['owner-every']];
if (!numbers.every((text) => /^\d{1,9}$/.test(text)) || !/^-?\d{1,10}$/.test(values.seed)) refuse('A number is none.');
if (subjects.length === 0) refuse('--subject is calls or sessions.');
if (!['lawful', 'broken', 'mixed'].includes(values.kind)) refuse('--kind is lawful, broken or mixed.');
const patches = plantedNames();
const unknown = positionals.filter((name) => !patches.includes(name));
if (unknown.length > 0) refuse(`There is no patch ${unknown.join(', ')}; there are: ${patches.join(', ')}.`);

function refuse(words: string): never {
  process.stderr.write(`${words}\n`);
  process.exit(64);
}

const build = process.env['KILLPOINT_BUILD'] ?? orExit(ensureBuild);
let isInterrupted = false;
process.on('SIGINT', () => (isInterrupted = true));

async function again(path: string): Promise<boolean> {
  const [subject] = subjects;
  const campaign = { subject: subject ?? 'calls', kind: values.kind as Kind, seed: Number(values.seed), path };
  const sides = { runtime: build, verifier: build, contract: contractOf(root) };
  const { disagreement } = await runCampaign({ ...campaign, histories: 1, ownerEvery: 1, shrinks: true }, sides);
  process.stdout.write(disagreement === null ? 'no disagreement\n' : `DISAGREEMENT\n${disagreement}\n`);
  return disagreement === null;
}

async function whole(): Promise<boolean> {
  const summary = await compareAll(build, {
    ...{ subjects, histories: Number(values.histories), seed: Number(values.seed), resumes: values.resume },
    ...{ workers: Number(values.workers), ownerEvery: Number(values['owner-every']), isInterrupted: () => isInterrupted },
    planted: values.planted ? (positionals.length > 0 ? positionals : patches) : [],
  });
  process.stdout.write(`${JSON.stringify(summary, null, 1)}\n`);
  for (const one of summary.disagreements) process.stdout.write(`DISAGREEMENT\n${one}\n`);
  return isQuiet(summary);
}

process.exitCode = (await (values.path === undefined ? whole() : again(values.path))) ? 0 : 1;
