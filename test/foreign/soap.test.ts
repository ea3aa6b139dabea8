import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { programPath, told } from './support/programs.ts';
import { toolTest } from './support/tool-test.ts';
import { call, classpath, jdk } from './support/tools.ts';

/* A client that Java makes of the WSDL alone. Those of Python and Node.js are in test/vehicle-registry/clients.test.ts. */

describe('Legacy SOAP operation: a client that is generated from the WSDL gets vehicles, and the typed fault', () => {
  toolTest(['jaxws-tools'], 'wsimport (JAX-WS)', async ({ folder, origin }) => {
    const wsdl = `${origin}/vehicle-registry/v1?wsdl`;
    const made = join(folder, 'made');
    const classes = join(folder, 'classes');
    await mkdir(made);
    const path = await classpath(classes);
    const flags = ['-Xnocompile', '-keep', '-s', made, '-p', 'registry'];
    await call(jdk('java'), ['-cp', path, 'com.sun.tools.ws.WsImport', ...flags, wsdl]);
    const sources = (await readdir(join(made, 'registry'))).map((name) => join(made, 'registry', name));
    await call(jdk('javac'), ['-proc:none', '-d', classes, '-cp', path, ...sources, programPath('Registry.java')]);
    const plates = ['AB-1234', 'OL-0082', 'XX-1234'];
    assert.deepEqual(told(await call(jdk('java'), ['-cp', path, 'Registry', wsdl, ...plates])), {
      'AB-1234': { make: 'Yarrowick', firstRegYear: 2022, fuel: 'PETROL', vin: 'GNZDP1D04NC383005' },
      'OL-0082': { make: 'Pellworth', firstRegYear: 1972, fuel: 'PETROL', vin: 'none' },
      // The exception is named as the message of the WSDL: VehicleNotFound.
      'XX-1234': { notFound: 'XX-1234', says: 'The vehicle was not found.' },
    });
  });
});
