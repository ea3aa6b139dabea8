/** What people type to start the program: the sources are run in a clone, what was compiled of them is run from its package. */
export const command = import.meta.url.endsWith('.ts') ? 'npm start --' : 'npx l-plate';
