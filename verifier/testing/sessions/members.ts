/** The members of a group of the small sessions: what a harness would have seen of each, by its crash model. */
import type { Acted } from './acted.js';
import type { MemberRan, Ran } from './ran.js';

type Timeline = Acted['timeline'];

const ended: Timeline = [
  ['exit_seen', 300],
  ['group_empty', 400],
];

export function memberActed(folder: string, { crash, operation, input }: Ran, { id, pid, refusal, failed }: MemberRan): Acted {
  const status = refusal !== undefined ? 'refused' : failed === true ? 'failed' : 'completed';
  const common = { folder: `${folder}members/${id}/`, pid, refusal, status } as const;
  if (crash?.model === 'race')
    return {
      ...{ ...common, operation, input, armed: 'projection.read#1' },
      timeline: [['spawned', 0], ['announced', 100], ['released', 200], ...ended],
    };
  if (crash?.model !== 'zombie') throw new Error('Only a race and a stopped owner have members.');
  if (id === 'other') {
    const timeline: Timeline = [
      ['spawned', 6],
      ['exit_seen', 100],
      ['group_empty', 110],
    ];
    return { ...common, operation: crash.other.operation, input: crash.other.input, armed: null, timeline };
  }
  const { stop, defeat } = crash;
  const defeated: Timeline = defeat === 'none' ? [] : [['folder_defeated', 4]];
  return {
    ...{ ...common, operation, input, armed: `${stop.checkpoint}#${stop.occurrence}` },
    timeline: [
      ['spawned', 0],
      ['announced', 1],
      ['sigstop_sent', 2],
      ['stopped', 3],
      ...defeated,
      ['released', 200],
      ['sigcont_sent', 210],
      ...ended,
    ],
  };
}
