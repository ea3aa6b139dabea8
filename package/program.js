import module from 'node:module';
import { keepCompiled } from './keep-compiled.js';

/** Loads a module of the program from the bundle. */
export async function load(name) {
  keepCompiled();
  // A stack trace names lines of the sources.
  module.setSourceMapsSupport(true, { nodeModules: true });
  if (globalThis.Temporal === undefined) await import('../lib/program/gaps.js');
  return import(`../lib/program/${name}.js`);
}
