/**
 * Random histories of calls and sessions, lawful and broken: what the runtime projects, what the verifier derives and what a naive reading of
 * the contract's words gives must be the same.
 *
 * `tsx scripts/differential.ts [--histories <n>] [--minutes <n>] [--seed <n>] [--subject calls|sessions] [--path <path>]` prints counts and any
 * disagreement, shrunk; `--path` has one again. `--planted [<name>…]` plants each patch of `scripts/differential/planted/` in a copy of the
 * runtime instead and asks how many histories it takes to find it. Exits 1 at a disagreement, where a stage was not reached, or where a
 * planted defect was not found within 1,000 histories; 64 if it is asked for what is not there.
 */
import { parseArgs } from 'node:util';
import { ensureBuild, orExit, root } from './build.mjs';
import { runCampaign, type Campaign } from './differential/campaign.js';
import type { Subject } from './differential/history/drafts.js';
import { findPlanted, plantedNames } from './differential/planted.js';
import { contractOf } from './differential/write/contract.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    histories: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    subject: { type: 'string' },
    path: { type: 'string' },
    planted: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    'owner-every': { type: 'string', default: '10' },
  },
});
const subjects: readonly Subject[] = ['calls', 'sessions'];
const isNumber = (text: string): boolean => /^-?\d{1,15}$/.test(text);
if (![values.histories, values.seed, values['owner-every'], values.minutes ?? '1'].every(isNumber)) refuse('A number is none.');
if (values.subject !== undefined && !subjects.includes(values.subject as Subject)) refuse('--subject is calls or sessions.');

function refuse(words: string): never {
  process.stderr.write(`${words}\n`);
  process.exit(64);
}

async function compare(): Promise<boolean> {
  const build = process.env['KILLPOINT_BUILD'] ?? orExit(ensureBuild);
  const chosen = subjects.filter((subject) => values.subject === undefined || subject === values.subject);
  const histories = Math.ceil(Number(values.histories) / chosen.length);
  let isWell = true;
  for (const subject of chosen) {
    const began = Date.now();
    const campaign: Campaign = {
      ...{ subject, histories, seed: Number(values.seed), runtime: build, verifier: build, contract: contractOf(root) },
      ...{
        ownerEvery: Number(values['owner-every']),
        shrinks: true,
        ...(values.path === undefined ? {} : { path: values.path }),
      },
    };
    const { counts, disagreement } = await runCampaign(campaign);
    // One in two thousand at least, as soon as there are so many.
    const missing = values.path === undefined ? counts.missing(Math.floor(counts.histories / 2000)) : [];
    const summary = { subject, seed: campaign.seed, wall_s: (Date.now() - began) / 1000, ...counts.summary() };
    process.stdout.write(`${JSON.stringify(summary, null, 1)}\n`);
    if (missing.length > 0) process.stdout.write(`not reached: ${missing.join(', ')}\n`);
    process.stdout.write(disagreement === null ? `${subject}: no disagreement\n` : `DISAGREEMENT\n${disagreement}\n`);
    isWell &&= disagreement === null && missing.length === 0;
  }
  return isWell;
}

async function planted(): Promise<boolean> {
  const all = plantedNames();
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0) refuse(`There is no patch ${unknown.join(', ')}; there are: ${all.join(', ')}.`);
  const wanted = positionals.length > 0 ? positionals : all;
  const found = await findPlanted(wanted, Number(values.seed), (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`planted: ${wanted.length} of ${all.length} defects, ${found} found\n`);
  return found === wanted.length && wanted.length > 0;
}

process.exitCode = (await (values.planted ? planted() : compare())) ? 0 : 1;
