/**
 * Can the process behind a loopback socket be named from `/proc/net/tcp` and `/proc/<pid>/fd`? Tried on a socket of our own.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Check } from './check.js';

export async function probePeerPid(): Promise<Check> {
  const name = 'peer_pid';
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  let socket: Socket | null = null;
  try {
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const owner = ownsPort(process.pid, socket.localPort ?? 0);
    return owner
      ? { name, available: true, weight: 'used', detail: 'the provider can record which process sent a request' }
      : { name, available: false, weight: 'used', detail: 'the owner of a socket cannot be told; receipts carry no process' };
  } catch (error) {
    return {
      name,
      available: false,
      weight: 'used',
      detail: `the owner of a socket cannot be told (${(error as NodeJS.ErrnoException).code ?? 'failed'})`,
    };
  } finally {
    socket?.destroy();
    server.close();
  }
}

function ownsPort(pid: number, port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const row = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find((fields) => fields[1]?.endsWith(local));
  const inode = row?.[9];
  return readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`) === `socket:[${inode}]`;
    } catch {
      return false;
    }
  });
}
