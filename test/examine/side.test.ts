import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Side } from '../../src/examine/side.ts';
import { systemClock } from '../../src/time/clock.ts';

/* Where the paths of the descriptions are at an examined service, and back. */

/** The given URL, a path of the descriptions, and where that is. */
const places: [base: string, path: string, address: string][] = [
  ['http://one:9000/insurer/v1', '/insurer/v1/policies?page=2', 'http://one:9000/insurer/v1/policies?page=2'],
  ['http://one:9000/insurer/v1', '/insurer/v1', 'http://one:9000/insurer/v1'],
  ['http://one:9000/insurer/v1///', '/insurer/v1/policies', 'http://one:9000/insurer/v1/policies'],
  ['http://one:9000/insurer/v1/', '/claims/v1/claims', 'http://one:9000/claims/v1/claims'],
  ['http://one:9000/insurer/v1', '/vehicle-registry/v1?wsdl', 'http://one:9000/vehicle-registry/v1?wsdl'],
  ['https://one/a/insurer/v1', '/insurer/v1/policies/1', 'https://one/a/insurer/v1/policies/1'],
  ['https://one/a/insurer/v1', '/claims/v1/claims', 'https://one/a/claims/v1/claims'],
  ['https://one/a%20b/insurer/v1', '/claims/v1/claims', 'https://one/a%20b/claims/v1/claims'],
  ['https://one/my', '/insurer/v1/policies', 'https://one/my/policies'],
  ['https://one/my', '/claims/v1/claims', 'https://one/claims/v1/claims'],
  ['http://one:9000', '/insurer/v1/policies', 'http://one:9000/policies'],
  ['http://one:9000/', '/claims/v1/claims/CLM-1', 'http://one:9000/claims/v1/claims/CLM-1'],
  ['http://one:9000/', '/vehicle-registry/v2/vehicles/AB-1', 'http://one:9000/vehicle-registry/v2/vehicles/AB-1'],
];

const sideOf = (base: string) => new Side(new URL(base), systemClock, { paced: false });

for (const [base, path, address] of places)
  test(`Examinations: with the URL ${base}, ${path} is at ${address}, and that stands for it`, () => {
    equal(sideOf(base).addressOf(path), address);
    equal(sideOf(base).pathOf(new URL(address)), path.replace(/\?.*/, ''));
  });

/** The given URL, an address that a service names, and the path that it stands for. */
const named: [what: string, base: string, address: string, path: string][] = [
  ['another origin', 'http://one/insurer/v1', 'https://two:8443/insurer/v1/policies', '/insurer/v1/policies'],
  ['a slash at its end', 'http://one/insurer/v1', 'http://one/insurer/v1/policies/', '/insurer/v1/policies/'],
  ['two slashes in it', 'http://one/insurer/v1', 'http://one/insurer/v1//policies', '/insurer/v1//policies'],
  ['dots in it', 'http://one/insurer/v1', 'http://one/claims/v1/../../insurer/v1/policies', '/insurer/v1/policies'],
  ['an encoded slash', 'http://one/insurer/v1', 'http://one/insurer/v1%2Fpolicies', '/insurer/v1%2Fpolicies'],
  ['an encoded part', 'http://one/insurer/v1', 'http://one/insurer/v1/policies/%C3%A4', '/insurer/v1/policies/%C3%A4'],
  ['a name that goes on', 'http://one/a/insurer/v1', 'http://one/a/insurer/v10/policies', '/insurer/v10/policies'],
  ['no such beginning', 'http://one/a/insurer/v1', 'http://one/b/insurer/v1/policies', '/b/insurer/v1/policies'],
  ['less than the URL', 'http://one/a/insurer/v1', 'http://one/a', '/a'],
];

for (const [what, base, address, path] of named)
  test(`Examinations: an address with ${what} stands for ${path}`, () => {
    equal(sideOf(base).pathOf(new URL(address)), path);
  });
