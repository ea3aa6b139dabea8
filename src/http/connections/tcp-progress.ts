import { readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { type Handle, handleOf } from './node-internals.ts';

/*
 * How far the peer of a connection has come with what it is sent.
 *
 * That the operating system takes bytes tells of it only in large steps: on a fast path its buffer takes 4 MB at
 * once and then nothing until a third of that is gone, which a reader of 40 KB/s needs more than 30 seconds for. Linux
 * also tells which of the bytes it took the peer has not acknowledged. So seen, progress comes in steps of some
 * 100 KB. Elsewhere the large steps have to do.
 */

/** Bytes of a connection that its peer has taken so far, by all that is known; undefined once it is closed. */
export function bytesTaken(socket: Socket, unacknowledged: ReadonlyMap<string, number>): number | undefined {
  const handle = handleOf(socket);
  if (!handle) return undefined;
  return handle.bytesWritten - handle.writeQueueSize - (unacknowledged.get(inode(handle)) ?? 0);
}

/** Bytes that each TCP connection of this machine was given and its peer has not acknowledged, by the inode. */
export async function unacknowledgedBytes(): Promise<Map<string, number>> {
  const bytes = new Map<string, number>();
  for (const table of ['/proc/self/net/tcp', '/proc/self/net/tcp6']) {
    const text = await readFile(table, 'latin1').catch(() => '');
    for (const [, sent = '', inode = ''] of text.matchAll(row)) bytes.set(inode, Number.parseInt(sent, 16));
  }
  return bytes;
}

/** sl, local and remote address, state, tx_queue:rx_queue, timer, retransmits, uid, timeout, inode (proc(5)). */
const row = /^ *\d+: \S+ \S+ \S+ (?!0{8})(\S{8}):\S+ \S+ \S+ +\d+ +\d+ (\d+)/gm;

function inode({ fd }: Handle): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).replace(/\D/g, '');
  } catch {
    return '';
  }
}
