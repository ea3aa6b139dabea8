/*
 * The makes and models on the road, all invented. Each model has the years it was sold and the drives it was sold with.
 *
 * Which vehicle a plate has depends on the order of this list: if you add, move or change an entry, plates in
 * people's exercises get other vehicles.
 */

export type FuelType = 'PETROL' | 'DIESEL' | 'ELECTRIC' | 'HYBRID' | 'GAS' | 'OTHER';

/** What moves a vehicle. Without `capacityCcm` it has no engine but a motor, fed by a battery or a fuel cell. */
export interface Drive {
  fuel: FuelType;
  capacityCcm?: number;
}

export interface Make {
  name: string;
  /** The manufacturer's code, the first three characters of a VIN. */
  wmi: string;
  models: readonly Model[];
}

export interface Model {
  name: string;
  /** First and last year of sale. */
  from: number;
  to: number;
  drives: readonly Drive[];
}

const petrol = engines('PETROL');
const diesel = engines('DIESEL');
const hybrid = engines('HYBRID');
const gas = engines('GAS');
const electric: Drive = { fuel: 'ELECTRIC' };

/** An engine for ethanol; without a capacity, a fuel cell for hydrogen. */
function other(capacityCcm?: number): Drive {
  return { fuel: 'OTHER', ...(capacityCcm !== undefined && { capacityCcm }) };
}

function engines(fuel: FuelType): (...capacitiesCcm: number[]) => Drive[] {
  return (...capacitiesCcm) => capacitiesCcm.map((capacityCcm) => ({ fuel, capacityCcm }));
}

/*
 * ISO 3780 gives a VIN's first two characters to countries, and a country gives the third one to manufacturers. No
 * country has GA to G0 (the lists at clearvin.com/blog/2019/11/what-country-code-is-hidden-in-your-cars-vin and
 * pcmx.net/documents/VIN%20Manufacturer%20Codes.html say so, and the one of github.com/idlesign/vininfo has nothing
 * there), so no manufacturer has a code that begins with G. A 9 in the third place would mean fewer than 500 a year.
 */
export const makes: readonly Make[] = [
  make('Brankhall', 'GNA', [
    model('Bodkin', 1968, 1979, petrol(848, 998)),
    model('Thimble', 1986, 1997, petrol(848, 998, 1124)),
    model('Haycock', 1995, 2006, petrol(1388, 1598), diesel(1753)),
    model('Lantern', 2004, 2016, petrol(1198, 1396, 1596), diesel(1398, 1560)),
    model('Sixpence', 2014, 2025, petrol(996, 1198), hybrid(1198), electric),
  ]),
  make('Caldmoor', 'GNB', [
    model('Redstart', 1971, 1983, petrol(1297, 1498, 1798)),
    model('Fieldfare', 1989, 2001, petrol(1596, 1796, 1998), diesel(1905)),
    model('Whinchat', 1998, 2010, petrol(1242, 1388), diesel(1248)),
    model('Dotterel', 2008, 2020, petrol(1198, 1390), diesel(1422, 1598), gas(1390)),
    model('Turnstone', 2016, 2025, petrol(1332, 1498), diesel(1461), hybrid(1498)),
  ]),
  make('Dovrelan', 'GNC', [
    model('Skarva', 1974, 1988, petrol(1985, 2127), diesel(2383)),
    model('Tindra', 1987, 1999, petrol(1721, 1948, 2316)),
    model('Fjellan', 1999, 2012, petrol(1948, 2435, 2922), diesel(2401)),
    model('Lindra', 2011, 2025, petrol(1498, 1969), diesel(1969), hybrid(1969)),
    model('Skarva Två', 2018, 2025, hybrid(1477, 1969), electric),
  ]),
  make('Estrivane', 'GND', [
    model('Orsette', 1982, 1994, petrol(954, 1124, 1360)),
    model('Lumela', 1993, 2004, petrol(1124, 1360), diesel(1527)),
    model('Velouna', 2001, 2013, petrol(1360, 1587, 1997), diesel(1398, 1997)),
    model('Cindral', 2010, 2022, petrol(1199, 1598), diesel(1560), hybrid(1598)),
    model('Solvara', 2019, 2025, petrol(1199), hybrid(1598), electric),
  ]),
  make('Fennimark', 'GNE', [
    model('Bulrush', 1992, 2005, petrol(1995, 2435), diesel(2499, 2800)),
    model('Marshwort', 2000, 2014, diesel(1968, 2461), gas(1984)),
    model('Kingcup', 2006, 2018, petrol(1390, 1598), diesel(1598, 1968), gas(1390)),
    model('Teasel', 2013, 2025, petrol(999, 1498), diesel(1598), gas(1498)),
    model('Sedgeling', 2020, 2025, electric),
  ]),
  make('Gravenholt', 'GNF', [
    model('Feldspar', 1985, 1996, petrol(1796, 2597, 2960), diesel(2497)),
    model('Drumlin', 1996, 2009, petrol(1998, 2799, 3199), diesel(2148, 2685)),
    model('Esker', 2003, 2015, petrol(1796, 2497), diesel(2143, 2987)),
    model('Scarp', 2012, 2025, petrol(1595, 1991), diesel(1950, 2143), hybrid(1991)),
    model('Cairnstone', 2017, 2025, petrol(1991, 2999), diesel(2925), hybrid(2999), electric),
  ]),
  make('Halvorin', 'GNG', [
    model('Snowdrift', 1976, 1990, petrol(1770, 1994), diesel(1994)),
    model('Rimefall', 1990, 2003, petrol(1985, 2290)),
    model('Hoarfrost', 2002, 2014, petrol(1985, 2290), diesel(1910), other(1985)),
    model('Sleetwind', 2011, 2023, petrol(1596, 1998), diesel(1995), other(1596)),
    model('Nimbostra', 2015, 2025, hybrid(1998), electric, other()),
  ]),
  make('Istravane', 'GNH', [
    model('Belisar', 1984, 1995, petrol(1301, 1498, 1929)),
    model('Ondrava', 1994, 2007, petrol(1289, 1397, 1598), diesel(1896)),
    model('Tesmira', 2005, 2017, petrol(1197, 1598, 1798), diesel(1598, 1896), gas(1598)),
    model('Ravanto', 2009, 2021, petrol(1197, 1395), diesel(1598, 1968)),
    model('Belisar Due', 2020, 2025, petrol(999, 1498), hybrid(1395), electric),
  ]),
  make('Jorvander', 'GNJ', [
    model('Wainwright', 1983, 1998, diesel(2499, 2503), petrol(1971)),
    model('Farrier', 1995, 2008, diesel(1870, 2463), petrol(1998)),
    model('Cordwainer', 2005, 2018, diesel(1598, 1995, 2299)),
    model('Tallyman', 2012, 2025, diesel(1461, 1749), petrol(1332), gas(1598)),
    model('Lamplighter', 2018, 2025, electric, diesel(1997), other()),
  ]),
  make('Kelmora', 'GNK', [
    model('Gavotte', 1988, 1999, petrol(993, 1295, 1493)),
    model('Sarabande', 1996, 2008, petrol(1587, 1762, 1998), diesel(1975)),
    model('Madrigal', 2003, 2015, petrol(1329, 1598), diesel(1364), hybrid(1497)),
    model('Barcarolle', 2009, 2021, petrol(1598, 1987), hybrid(1798)),
    model('Villanelle', 2016, 2025, petrol(998, 1490), hybrid(1490, 1798), electric),
  ]),
  make('Lusberg', 'GNL', [
    model('Lineal', 1979, 1991, petrol(1573, 1766, 2302)),
    model('Zirkel 3', 1990, 2002, petrol(1596, 1895, 2494), diesel(1665)),
    model('Zirkel 5', 1997, 2010, petrol(1991, 2494, 2996), diesel(1951, 2926)),
    model('Kontur', 2008, 2020, petrol(1598, 1995, 2979), diesel(1995, 2993)),
    model('Möwe', 2015, 2025, petrol(1499, 1998), diesel(1995), hybrid(1499), electric),
  ]),
  make('Marivelle', 'GNM', [
    model('Breakwater', 1991, 2003, petrol(1998, 2959), diesel(2188)),
    model('Tidemark', 2000, 2012, petrol(1390, 1794, 1999), diesel(1753, 1998)),
    model('Saltmarsh', 2007, 2019, petrol(1596, 1999), diesel(1560, 1997), other(1596)),
    model('Flotsam', 2013, 2024, petrol(998, 1242), diesel(1499)),
    model('Shorebreak', 2019, 2025, petrol(998, 1498), hybrid(2488), electric),
  ]),
  make('Norrbeck', 'GNN', [
    model('Tallmo', 1970, 1982, petrol(1709, 1985)),
    model('Öring', 1988, 2000, petrol(1721, 1985)),
    model('Kråka', 1997, 2009, petrol(1588, 1783), diesel(1870), gas(1783)),
    model('Fjällvide', 2006, 2019, petrol(1596, 1999), diesel(1560, 1984), other(1798)),
    model('Sjöbris', 2017, 2025, petrol(1477), hybrid(1477, 1969), electric),
  ]),
  make('Ostrande', 'GNP', [
    model('Cabriole', 1987, 1998, petrol(1390, 1764, 1998)),
    model('Glissade', 1996, 2007, petrol(1149, 1390), diesel(1461)),
    model('Entrechat', 2004, 2016, petrol(1598, 1998), diesel(1461, 1870)),
    model('Battement', 2012, 2025, petrol(898, 1197), diesel(1461), gas(898)),
    model('Sissonne', 2019, 2025, electric),
  ]),
  make('Pellworth', 'GNR', [
    model('Colophon', 1969, 1985, petrol(2498, 3528, 4235)),
    model('Quire', 1993, 2004, petrol(1588, 1796, 2497)),
    model('Ligature', 2002, 2014, petrol(1796, 2497, 2967), diesel(1998, 2720)),
    model('Serif', 2011, 2023, petrol(1997, 2995), diesel(1999, 2993)),
    model('Ampersand', 2018, 2025, petrol(1997), hybrid(1997, 2996), electric),
  ]),
  make('Quistgard', 'GNS', [
    model('Mattock', 1981, 1997, diesel(2286, 2495), petrol(2286)),
    model('Billhook', 1994, 2006, diesel(2446, 2835), petrol(2389)),
    model('Hod & Barrow', 2001, 2013, diesel(1248, 1686), gas(1598)),
    model('Spokeshave', 2007, 2020, petrol(1598), diesel(1968, 2198)),
    model('Trowel', 2016, 2025, diesel(1499, 1995), electric),
  ]),
  make('Rovendale', 'GNT', [
    model('Tansy', 1978, 1990, petrol(957, 1117)),
    model('Comfrey', 1990, 2002, petrol(1119, 1297, 1596), diesel(1753)),
    model('Feverfew', 2000, 2011, petrol(1242, 1388, 1596), diesel(1399)),
    model('Lovage', 2009, 2021, petrol(998, 1242), diesel(1499, 1560), other(1596)),
    model('Bergamot', 2017, 2025, petrol(998), hybrid(998), electric),
  ]),
  make('Sundhavn', 'GNU', [
    model('Coracle', 1992, 2003, petrol(796, 993)),
    model('Lugger', 1998, 2011, petrol(1995, 2362, 2982), diesel(2184, 2982)),
    model('Wherry', 2005, 2017, petrol(1298, 1597), diesel(1248)),
    model('Shallop', 2010, 2022, electric, hybrid(1373)),
    model('Dogger', 2014, 2025, petrol(1498, 1997), diesel(1598, 2191), hybrid(1993)),
  ]),
  make('Tarnmoss', 'GNV', [
    model('Bogbean', 1983, 1996, petrol(970, 1298, 1590)),
    model('Heathstep', 1997, 2010, petrol(1995, 2457), diesel(1994)),
    model('Peatlark', 2004, 2016, petrol(1498, 1994), gas(1994)),
    model('Cloudberry', 2012, 2024, petrol(1600, 1995), diesel(1998), hybrid(1995)),
    model('Mossback', 2019, 2025, petrol(1498), hybrid(2498), electric),
  ]),
  make('Ulversund', 'GNW', [
    model('Fustian', 1973, 1986, petrol(1285, 1442), diesel(1714)),
    model('Calico', 1989, 2001, petrol(1294, 1597, 1838)),
    model('Gingham', 1999, 2012, petrol(1399, 1599), diesel(1493, 1991)),
    model('Worsted', 2007, 2019, petrol(1396, 1591, 1999), diesel(1582, 1685), gas(1999)),
    model('Taffeta', 2016, 2025, petrol(998, 1598), hybrid(1580), electric),
  ]),
  make('Vesterlow', 'GNX', [
    model('Crumpet', 1985, 1997, petrol(903, 999, 1108)),
    model('Parkin', 1996, 2007, petrol(1108, 1242, 1581), diesel(1910)),
    model('Bannock', 2003, 2015, petrol(1242, 1368), diesel(1248, 1910), gas(1368)),
    model('Muffineer', 2008, 2020, petrol(875, 1242), gas(1242), hybrid(999)),
    model('Oatcake', 2020, 2025, electric, hybrid(999)),
  ]),
  make('Wexcombe', 'GNY', [
    model('Long Leg', 1980, 1993, petrol(1994, 2498, 3947), diesel(2393)),
    model('Cover Drive', 1994, 2006, petrol(1796, 2497)),
    model('Googly', 2001, 2012, petrol(1396, 1795), diesel(1689)),
    model('Night-watchman', 2010, 2022, petrol(1395, 1984), diesel(1968), hybrid(1395)),
    model('Silly Mid-off', 2018, 2025, petrol(1498), hybrid(1498), electric),
  ]),
  make('Yarrowick', 'GNZ', [
    model('Abacus', 1986, 1998, petrol(1343, 1580, 1834)),
    model('Lemma', 1997, 2009, petrol(1339, 1590), diesel(1686)),
    model('Corollary', 2004, 2016, petrol(1339, 1799), diesel(2204), hybrid(1339)),
    model('Quotient', 2010, 2023, petrol(1318, 1498), diesel(1597), hybrid(1497)),
    model('Theorem', 2016, 2025, petrol(988, 1498), hybrid(1993), other()),
  ]),
  make('Zephrane', 'GN1', [
    model('Wattling', 2011, 2019, electric),
    model('Faradine', 2014, 2025, electric),
    model('Ampelle', 2017, 2025, electric),
    model('Joulette', 2020, 2025, electric, other()),
    model('Galvanelle', 2022, 2025, electric),
  ]),
];

function make(name: string, wmi: string, models: readonly Model[]): Make {
  return { name, wmi, models };
}

function model(name: string, from: number, to: number, ...drives: readonly (Drive | readonly Drive[])[]): Model {
  return { name, from, to, drives: drives.flat() };
}
