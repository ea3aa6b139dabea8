/** The secrets of each service that a test starts, unless it sets others. */
export const testSecrets = {
  hmacSecret: 'test-hmac-secret',
  readerClientSecret: 'test-reader-secret',
  fleetClientSecret: 'test-fleet-secret',
  trainerToken: 'test-trainer-token',
} as const;
