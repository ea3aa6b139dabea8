import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { DatabaseBusy, DatabaseUnavailable } from '../../database/database.ts';
import { DomainError } from '../../domain-error.ts';
import { ProblemError, unavailable } from '../problems/problem.ts';
import { invalid, validationProblem } from '../requests/validation.ts';

/**
 * Turns whatever was thrown into the problem to answer, in whichever form an interface answers. What is not foreseen
 * is an internal error, of which the log alone has more.
 */
export function problemOf(error: unknown, request: FastifyRequest, log: Logger): ProblemError {
  const problem = asProblem(error, request);
  if (problem.identifier === 'internal-error')
    log.error({ requestId: request.id, ...inside(error, request) }, 'internal error');
  request.problem = problem.identifier;
  return problem;
}

function asProblem(error: unknown, request: FastifyRequest): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof DomainError) return ofRule(error);
  if (error instanceof DatabaseBusy) {
    const detail =
      'Too many others change the same at the moment, so the change was not made, or not all of it. Try again after the number of seconds in Retry-After.';
    return unavailable(detail, 1);
  }
  if (error instanceof DatabaseUnavailable) {
    const detail =
      'The database is not available now. Try again after the number of seconds in Retry-After. If the request was to change something, check first whether it did.';
    return unavailable(detail);
  }
  const { statusCode, validation } = error as { statusCode?: number; validation?: object[] };
  if (validation) return validationProblem(error, request);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ProblemError(
      'malformed-request',
      'The body does not match its headers. Check Content-Length and Transfer-Encoding.',
    );
  }
  return new ProblemError(
    'internal-error',
    'An internal error occurred. The server log has the details, under the id in instance.',
  );
}

/** A field of the request body is named by its JSON pointer. */
function ofRule({ code, message, field }: DomainError): ProblemError {
  if (field === undefined) return new ProblemError(code, message);
  return invalid([{ pointer: `/${field}`, detail: message }]);
}

/** Returns what the log may say of an unforeseen error. Not its other properties: a database names values in them. */
function inside(error: unknown, { server }: FastifyRequest): object {
  if (!(error instanceof Error)) return { thrown: typeof error };
  // It begins with the message, which may repeat what was sent.
  const stack = server.secretFinder.hide(error.stack ?? '');
  return { error: error.name, code: (error as { code?: unknown }).code, stack };
}
