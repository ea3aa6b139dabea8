/** The example programs. Said here, since in the package all files lie as deep below the root as this one. */
export const examplesFolder = new URL('../../examples/', import.meta.url);
