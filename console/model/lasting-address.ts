import { isOnlyHere } from './joining.ts';

/** Whether an address still leads to the same service later, and from elsewhere: no address of a room or of one machine. */
export function isLasting(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  if (isOnlyHere(hostname) || hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return false;
  return hostname.includes('.') && !/\.(?:local|lan|home|internal|localdomain|test|arpa)$/i.test(hostname);
}
