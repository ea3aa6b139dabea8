import { keepCompiled } from './keep-compiled.js';

/** Loads a module of the program from its source. The package has another file in place of this one. */
export function load(name) {
  keepCompiled();
  return import(`../src/${name}.ts`);
}
