import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peerPid } from './peer.js';
import { available } from '../testing/mechanism.js';

const linux = available('The socket table of /proc', process.platform === 'linux');

const server = createServer();
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
});

async function connected(host: string): Promise<[client: Socket, ours: Socket]> {
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection');
  const client = connect(port, host);
  const [[ours]] = await Promise.all([accepted as Promise<[Socket]>, once(client, 'connect')]);
  return [client, ours];
}

describe.runIf(linux)('the process at the other end', () => {
  it.each(['127.0.0.1', '::ffff:127.0.0.1'])('is the one that holds the socket, by way of %s', async (host) => {
    const [client, ours] = await connected(host);
    expect(peerPid(ours)).toBe(process.pid);
    client.destroy();
  });

  it('is nobody once the client is gone, and stays what it was found to be', async () => {
    const [late, early] = [await connected('127.0.0.1'), await connected('127.0.0.1')];
    expect(peerPid(early[1])).toBe(process.pid);
    for (const [client, ours] of [late, early]) {
      const end = once(ours.resume(), 'end');
      client.destroy();
      await end;
    }
    expect(peerPid(late[1])).toBe(null);
    expect(peerPid(early[1])).toBe(process.pid);
  });
});
