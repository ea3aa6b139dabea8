/* Imported before a file of the suite, whose tests then run in full: see `extent.ts`. */

process.env.TEST_EXTENT = 'full';

export {};
