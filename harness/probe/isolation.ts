/**
 * Loop devices and namespaces: what the ground truth of a power loss, small disks and the confinement of egress need. Nothing is mounted or
 * entered for good.
 */
import { execa } from 'execa';
import { codeOf } from '../errors.js';
import type { Check } from './check.js';
import { loopDevices } from './loop.js';

export async function probeIsolation(unshare = 'unshare'): Promise<Check[]> {
  const [user, network] = await Promise.all([namespaced(unshare, '--user'), namespaced(unshare, '--net')]);
  return [
    loopDevices(),
    {
      name: 'user_namespace',
      available: user === 'made',
      weight: 'information',
      detail: {
        made: 'user namespaces can be made: a file system can be mounted without being root',
        refused: 'user namespaces cannot be made here; who is not root can mount nothing',
        untried: `user namespaces were not tried: ${notThere}`,
      }[user],
    },
    {
      name: 'network_namespace',
      available: network === 'made',
      weight: 'information',
      detail: {
        made: 'network namespaces can be made; runs do not use them yet',
        refused: 'network namespaces cannot be made here',
        untried: `network namespaces were not tried: ${notThere}`,
      }[network],
    },
  ];
}

const notThere = 'unshare is not installed (Debian: util-linux)';

async function namespaced(unshare: string, kind: '--user' | '--net'): Promise<'made' | 'refused' | 'untried'> {
  const trial = await execa(unshare, [kind, '--map-root-user', '--', 'true'], { reject: false, stdin: 'ignore' });
  if (!trial.failed) return 'made';
  return codeOf(trial.cause) === 'ENOENT' ? 'untried' : 'refused';
}
