/* The Node.js that the package needs. Plain JavaScript, so that an older one can read it. */

/** The first version that can run it. */
export const needed = 24;

export const isNew = Number(process.versions.node.split('.')[0]) >= needed;

/** How to go on with one that is too old. */
export const advice = `L-Plate needs Node.js ${needed} or newer; this is ${process.version}. Install a newer one, or lend it one: npx -p node@26 -p l-plate l-plate`;
