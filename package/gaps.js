// What Node.js 24, or its first versions, lack of that which the program uses.
import 'temporal-polyfill/global';
import crypto from 'node:crypto';

crypto.randomUUIDv7 ??= () => {
  const bytes = crypto.randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};
