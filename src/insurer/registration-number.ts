import Type from 'typebox';

/** A registration number that is sent. */
export const regNumber = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '^-*[A-Za-z0-9][A-Za-z0-9-]*$',
  description: 'Registration number: 1 to 40 letters (A to Z), digits and dashes, at least one letter or digit.',
  examples: ['AB-1234', 'CD-5678'],
});

/** How the register compares vehicles: without case and dashes, so that `ab1234` and `AB-1234` are one. */
export function vehicleKey(regNumber: string): string {
  return regNumber.replaceAll('-', '').toUpperCase();
}
