import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

/**
 * Compiles the schema of an answer when the first such answer is sent. There are some 300, most for refusals: compiled
 * at the start they would take a tenth of it, and memory for as long as the program runs.
 */
export const compileSerializerLate: FastifySerializerCompiler<object> = ({ schema }) => {
  let serialize: ((data: unknown) => string) | undefined;
  return (data) => {
    serialize ??= fastJsonStringify(schema);
    return serialize(data);
  };
};
