export interface BaseAddress {
  readonly name: string;
  /** From the root of the server. */
  readonly path: string;
}

/** Where each interface begins. */
export const baseAddresses: readonly BaseAddress[] = [
  { name: 'Insurer', path: '/insurer/v1' },
  { name: 'Claims and events', path: '/claims/v1' },
  { name: 'Vehicle registry, SOAP', path: '/vehicle-registry/v1' },
  { name: 'Vehicle registry, REST', path: '/vehicle-registry/v2' },
  { name: 'Your log, clock and drills', path: '/range/v1' },
];
