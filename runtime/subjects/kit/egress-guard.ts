/**
 * The in-process egress guard: sockets of this process reach the provider and nothing else.
 *
 * Covered: every TCP and Unix socket that Node's `net` opens (so http, https, tls, fetch) and every UDP send. Not covered: native
 * code, child processes, and bare name look-ups; a network namespace covers those, and is another mechanism with its own name.
 */
import * as dgram from 'node:dgram';
import * as net from 'node:net';

export interface Refused {
  host: string;
  port: number;
}

export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly code = 'EGRESS_REFUSED';
}

/** Installs the guard for the life of the process. The returned list grows with each refusal. */
export function guardEgress(providerUrl: string | null): Refused[] {
  const allowed = providerUrl === null ? null : endpointOf(new URL(providerUrl));
  const refused: Refused[] = [];
  const refuse = (target: Refused): EgressRefused => {
    refused.push(target);
    return new EgressRefused(`${target.host}:${target.port} is not the provider.`);
  };
  const connect = net.Socket.prototype.connect as (...args: unknown[]) => net.Socket;
  net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]): net.Socket {
    const target = targetOf(args);
    if (allowed !== null && target.host === allowed.host && target.port === allowed.port) return connect.apply(this, args);
    this.destroy(refuse(target));
    return this;
  };
  const noDatagram = function guarded(): never {
    throw refuse({ host: 'datagram', port: 0 });
  };
  dgram.Socket.prototype.send = noDatagram;
  dgram.Socket.prototype.connect = noDatagram;
  return refused;
}

function endpointOf(url: URL): Refused {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

/** `connect` takes an options object, a port and host, a path, or (internally) an array that starts with the options. */
function targetOf(args: readonly unknown[]): Refused {
  const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = first as net.TcpNetConnectOpts & { path?: string };
    return path === undefined || path === null ? { host: host ?? 'localhost', port: Number(port) } : { host: path, port: 0 };
  }
  if (typeof first === 'number' || /^\d+$/.test(String(first)))
    return { host: typeof args[1] === 'string' ? args[1] : 'localhost', port: Number(first) };
  return { host: String(first), port: 0 };
}
