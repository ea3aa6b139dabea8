import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { makes } from '../../src/vehicle-registry/makes.ts';
import { findVehicle, type Vehicle } from '../../src/vehicle-registry/vehicle.ts';
import { plates, vehicleOf, writings } from './plates.ts';

/** Facts in the order of the specification; an absent one is a dash. */
function facts(vehicle: Vehicle): string {
  return [
    vehicle.regNumber,
    vehicle.vinCode ?? '-',
    vehicle.make,
    vehicle.model,
    vehicle.firstRegDate,
    vehicle.engineCapacityCcm ?? '-',
    vehicle.fuelType,
    vehicle.ownerType,
    vehicle.inspectionValidTo ?? '-',
    vehicle.vehicleStatus,
  ].join(' | ');
}

// People have these in their exercises. A change here is a change of the register: not to be made.
const golden = [
  'AB-1234 | GNZDP1D04NC383005 | Yarrowick | Quotient | 2022-12-19 | 1318 | PETROL | NATURAL_PERSON | 2031-11-18 | REGISTERED',
  'PE-0040 | GNVAP2508MF461887 | Tarnmoss | Bogbean | 1991-09-05 | 1298 | PETROL | NATURAL_PERSON | 2035-07-18 | REGISTERED',
  'DI-0058 | GNWCD35068B617733 | Ulversund | Gingham | 2008-02-18 | 1493 | DIESEL | NATURAL_PERSON | 2035-07-04 | REGISTERED',
  'EL-0021 | GNKEE5H04MF758494 | Kelmora | Villanelle | 2021-10-27 | - | ELECTRIC | NATURAL_PERSON | 2034-01-14 | REGISTERED',
  'HY-0079 | GNFDH5K02NB106220 | Gravenholt | Scarp | 2022-07-25 | 1991 | HYBRID | NATURAL_PERSON | 2033-07-05 | REGISTERED',
  'GA-0183 | GNVCG3J02GG431108 | Tarnmoss | Peatlark | 2016-12-31 | 1994 | GAS | NATURAL_PERSON | 2035-05-30 | REGISTERED',
  'OT-0413 | GNNDX5E03CE076918 | Norrbeck | Fjällvide | 2013-07-17 | 1798 | OTHER | NATURAL_PERSON | 2034-03-26 | REGISTERED',
  'FC-0142 | GNGEX3B03JD951681 | Halvorin | Nimbostra | 2018-03-21 | - | OTHER | NATURAL_PERSON | 2035-07-31 | REGISTERED',
  'OL-0082 | - | Pellworth | Colophon | 1972-02-04 | 2498 | PETROL | LEGAL_PERSON | 2032-06-14 | REGISTERED',
  'IL-0006 | GNPAP1005RC055289 | Ostrande | Cabriole | 1994-02-25 | 1390 | PETROL | NATURAL_PERSON | 2024-11-20 | REGISTERED',
  'NE-0044 | GNEEE1C06RE092075 | Fennimark | Sedgeling | 2025-11-04 | - | ELECTRIC | NATURAL_PERSON | - | REGISTERED',
  'LE-0001 | GNUAP1301XF817554 | Sundhavn | Coracle | 1999-05-17 | 796 | PETROL | LEGAL_PERSON | 2034-04-02 | REGISTERED',
  'SU-0125 | GNHBP3700YA973382 | Istravane | Ondrava | 2000-04-24 | 1598 | PETROL | LEGAL_PERSON | 2033-09-10 | SUSPENDED',
  'DE-0004 | GNYBP2904RE790195 | Wexcombe | Cover Drive | 1994-04-13 | 2497 | PETROL | NATURAL_PERSON | - | DEREGISTERED',
  'AM-0387 | GNSCG31061F930696 | Quistgard | Hod & Barrow | 2001-09-01 | 1598 | GAS | NATURAL_PERSON | 2035-12-31 | REGISTERED',
  'UM-0168 | GNLEE5G08LF527903 | Lusberg | Möwe | 2020-10-14 | - | ELECTRIC | NATURAL_PERSON | 2033-11-09 | REGISTERED',
];

test('Decisions, vehicle registry: a plate has the same vehicle for ever', () => {
  for (const line of golden) assert.equal(facts(vehicleOf(line.slice(0, 7))), line);
  // And all ten thousand of AB, in short.
  const lines = Array.from({ length: 9999 }, (_, at) => facts(vehicleOf(`AB-${String(at + 1).padStart(4, '0')}`)));
  const digest = '94094e9e28c3aecc60a0b209728f29a5ef6e0bb44adbf17d80c5f9d6f2128924';
  assert.equal(hash('sha256', lines.join('\n')), digest);
});

test('Decisions, vehicle registry: the page of plates worth trying tells the truth', async () => {
  const page = await readFile(new URL('../../docs/vehicle-registry.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `[A-Z]{2}-\d{4}` \|/.test(line));
  const shown = rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')));
  assert.deepEqual(
    shown
      .filter((cells) => cells.length > 5)
      .map(([, plate, , ...cells]) => [plate, ...cells.slice(0, -1)].join(' | ')),
    golden,
  );
  const absent = shown.filter((cells) => cells.length === 4);
  assert(absent.length >= 3);
  for (const [, plate] of absent) assert.equal(findVehicle(plate as string), undefined);
});

test('Decisions, vehicle registry: case and dash make no difference but in RegNumber, which comes back as sent', () => {
  fc.assert(
    fc.property(writings, (regNumber) => {
      const plain = regNumber.replace('-', '').toUpperCase();
      assert.deepEqual(vehicleOf(regNumber), { ...vehicleOf(plain), regNumber });
      assert.deepEqual(vehicleOf(regNumber), vehicleOf(regNumber));
    }),
  );
});

test('Decisions, vehicle registry: plates with XX, ZZ or 0000 were never given out', () => {
  for (const plate of ['XX-0001', 'xx1234', 'Xx-9999', 'ZZ-0001', 'zz1234', 'AB-0000', 'ab0000', 'XX-0000']) {
    assert.equal(findVehicle(plate), undefined, plate);
  }
  for (const plate of ['XZ-0001', 'ZX-0001', 'AX-0001', 'AB-0001', 'AB-9990', 'AB-1000', 'IO-0001']) vehicleOf(plate);
});

test('Decisions, vehicle registry: another form of registration number is not found', () => {
  const others = [
    ...['', ' ', '-', 'AB', '1234', 'AB-', 'AB-123', 'AB-12345', 'ABC-123', 'A-1234', 'AB--1234', 'A-B1234', 'AB1-234'],
    ...[
      ' AB-1234',
      'AB-1234 ',
      'AB-1234\n',
      'AB 1234',
      '-AB1234',
      'AB1234-',
      '1234-AB',
      'AB–1234',
      'AB-１２３４',
      'AB-٠١٢٣',
    ],
    ...[
      'ÄB-1234',
      'ß-1234',
      'ſS-1234',
      'ﬀ-1234',
      'ıI-1234',
      'K\u212A-1234',
      'AB-1234\0',
      '__proto__',
      'A'.repeat(100_000),
    ],
  ];
  for (const other of others) assert.equal(findVehicle(other), undefined, other.slice(0, 20));
  const sign = fc.constantFrom(...'A7-x z\0\n\t0OſıßÅ１٣－–', '');
  fc.assert(
    fc.property(writings, fc.nat(8), fc.nat(1), sign, (plate, at, cut, put) => {
      const text = plate.slice(0, at) + put + plate.slice(at + cut);
      const given = /^(?!xx|zz)[a-z]{2}-?(?!0000)[0-9]{4}$/.test(text.replaceAll(/[A-Z]/g, (one) => one.toLowerCase()));
      assert.equal(findVehicle(text) !== undefined, given, text);
    }),
    { numRuns: 3000 },
  );
});

test('Resources, vehicle data: every vehicle has facts that go together', () => {
  fc.assert(
    fc.property(plates, (plate) => {
      const vehicle = vehicleOf(plate);
      const model = makes.find(({ name }) => name === vehicle.make)?.models.find(({ name }) => name === vehicle.model);
      assert(model !== undefined);
      const drives = model.drives.map(({ fuel, capacityCcm }) => `${fuel} ${capacityCcm}`);
      assert(drives.includes(`${vehicle.fuelType} ${vehicle.engineCapacityCcm}`));
      if (vehicle.fuelType === 'ELECTRIC') assert(!('engineCapacityCcm' in vehicle));

      const { firstRegDate, inspectionValidTo } = vehicle;
      for (const date of [firstRegDate, inspectionValidTo ?? firstRegDate]) {
        assert.equal(Temporal.PlainDate.from(date).toString(), date);
      }
      assert(firstRegDate >= `${model.from}-01-01` && firstRegDate <= `${model.to + 1}-06-30`, firstRegDate);
      assert(firstRegDate <= '2025-12-31', firstRegDate);
      if (inspectionValidTo !== undefined) {
        assert(inspectionValidTo > firstRegDate);
        assert.notEqual(vehicle.vehicleStatus, 'DEREGISTERED');
      }
      const known = [
        ...['regNumber', 'vinCode', 'make', 'model', 'firstRegDate', 'engineCapacityCcm', 'fuelType', 'ownerType'],
        ...['inspectionValidTo', 'vehicleStatus'],
      ];
      assert.deepEqual(
        Object.keys(vehicle),
        known.filter((name) => name in vehicle),
      );
      assert(Object.values(vehicle).every((value) => value !== undefined));
    }),
    { numRuns: 3000 },
  );
});

test('Decisions, vehicle registry: the makes are many, and their models plausible', () => {
  const models = makes.flatMap((make) => make.models);
  assert(makes.length >= 20 && models.length >= 100);
  assert.equal(new Set(makes.map(({ name }) => name)).size, makes.length);
  assert.equal(new Set(models.map(({ name }) => name)).size, models.length);
  for (const { name, from, to, drives } of models) {
    assert(from <= to && to <= 2025, name);
    for (const { fuel, capacityCcm } of drives) {
      if (capacityCcm !== undefined) assert(capacityCcm >= 700 && capacityCcm <= 4500, name);
      if (fuel === 'ELECTRIC') assert(capacityCcm === undefined && from >= 2010, name);
      else if (fuel !== 'OTHER') assert(capacityCcm !== undefined, name);
      else assert(capacityCcm !== undefined || from >= 2015, name);
      if (fuel === 'HYBRID') assert(from >= 2000, name);
    }
    assert.equal(new Set(drives.map((drive) => JSON.stringify(drive))).size, drives.length, name);
  }
});

test('Resources, vehicle data: every value, make and model occurs, and each optional fact is absent for some', () => {
  const all = ['AB', 'FL', 'IO', 'QW', 'XZ', 'ZY'].flatMap((letters) =>
    Array.from({ length: 9999 }, (_, at) => vehicleOf(`${letters}${String(at + 1).padStart(4, '0')}`)),
  );
  const share = (rule: (vehicle: Vehicle) => boolean) => (100 * all.filter(rule).length) / all.length;
  const between = (least: number, most: number, rule: (vehicle: Vehicle) => boolean) => {
    const percent = share(rule);
    assert(percent >= least && percent <= most, `${rule}: ${percent} %`);
  };
  between(45, 65, ({ fuelType }) => fuelType === 'PETROL');
  between(15, 30, ({ fuelType }) => fuelType === 'DIESEL');
  between(5, 15, ({ fuelType }) => fuelType === 'ELECTRIC');
  between(5, 15, ({ fuelType }) => fuelType === 'HYBRID');
  between(1, 5, ({ fuelType }) => fuelType === 'GAS');
  between(1, 5, ({ fuelType }) => fuelType === 'OTHER');
  between(25, 35, ({ ownerType }) => ownerType === 'LEGAL_PERSON');
  between(65, 75, ({ ownerType }) => ownerType === 'NATURAL_PERSON');
  between(80, 90, ({ vehicleStatus }) => vehicleStatus === 'REGISTERED');
  between(3, 7, ({ vehicleStatus }) => vehicleStatus === 'SUSPENDED');
  between(5, 15, ({ vehicleStatus }) => vehicleStatus === 'DEREGISTERED');
  between(2, 8, ({ vinCode }) => vinCode === undefined);
  between(1, 5, ({ vinCode, firstRegDate }) => vinCode === undefined && firstRegDate >= '1982');
  between(0, 0, ({ vinCode, firstRegDate }) => vinCode === undefined && firstRegDate >= '2001');
  between(0, 0, ({ vinCode, firstRegDate }) => vinCode !== undefined && firstRegDate < '1981');
  between(5, 20, ({ engineCapacityCcm }) => engineCapacityCcm === undefined);
  between(10, 30, ({ inspectionValidTo }) => inspectionValidTo === undefined);
  between(10, 30, ({ inspectionValidTo }) => inspectionValidTo !== undefined && inspectionValidTo < '2026');
  between(20, 40, ({ inspectionValidTo }) => inspectionValidTo !== undefined && inspectionValidTo >= '2031');
  for (const make of makes) {
    for (const model of make.models) {
      const drives = new Set(
        all
          .filter((vehicle) => vehicle.make === make.name && vehicle.model === model.name)
          .map(({ fuelType, engineCapacityCcm }) => `${fuelType} ${engineCapacityCcm}`),
      );
      assert.equal(drives.size, model.drives.length, `${make.name} ${model.name}`);
    }
  }
});
