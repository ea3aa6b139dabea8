import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveDrills } from '../active-drills.ts';
import { absoluteUrl, originOf } from '../http/absolute-url.ts';
import { addressKey } from '../http/address.ts';
import { callerOf } from '../http/bearer.ts';
import { type Api, endpoint, type Handlers } from '../http/endpoint.ts';
import { noteDrill } from '../http/faults.ts';
import { parseJson } from '../http/json.ts';
import type { KeptAnswers } from '../http/kept-answers.ts';
import { type LineFaults, lineCheck, nameIgnoredOfLines } from '../http/names.ts';
import { linesOf, type SentLine } from '../http/ndjson.ts';
import { asPage, links, pageOf } from '../http/paging.ts';
import { ProblemError, problemBody } from '../http/problem.ts';
import { invalid } from '../http/validation.ts';
import { refusalExamples } from './example-values.ts';
import type { Policies } from './policies.ts';
import { PolicyDraft } from './policy.ts';
import { type ImportRow, maxLines, type PolicyImport } from './policy-import.ts';
import { type ImportLine, keptProblem, type PolicyImports } from './policy-imports.ts';
import { base, importTexts as texts } from './route-texts.ts';
import { keptTexts, trimHolder } from './routes.ts';

export interface ImportRoutesOptions {
  readonly policies: Policies;
  readonly imports: PolicyImports;
  readonly drills: ActiveDrills;
  /** Answers to imports that were accepted. */
  readonly accepted: KeptAnswers<PolicyImport>;
}

/** Imports, which stand beside the endpoints of the specification. */
export function importRoutes(api: Api, options: ImportRoutesOptions): void {
  const handle = handlers(options);
  endpoint(api, 'POST', '/policy-imports', texts.importPolicies, {
    handler: handle.importPolicies,
    scope: 'policies:write',
    body: 'bytes',
    line: PolicyDraft,
    ownExamples: refusalExamples,
    problems: ['request-in-progress', 'idempotency-key-reused', 'quota-exceeded'],
  });
  endpoint(api, 'GET', '/policy-imports', texts.listImports, {
    handler: handle.listImports,
    scope: 'policies:read',
    problems: ['validation-error'],
  });
  endpoint(api, 'GET', '/policy-imports/:importId', texts.readImport, {
    handler: handle.readImport,
    scope: 'policies:read',
    problems: ['import-not-found'],
  });
  endpoint(api, 'GET', '/policy-imports/:importId/rows', texts.listImportRows, {
    handler: handle.listImportRows,
    scope: 'policies:read',
    problems: ['import-not-found', 'validation-error'],
  });
}

const path = `${base}/policy-imports`;

function handlers({ policies, imports, accepted, drills }: ImportRoutesOptions): Handlers<typeof texts> {
  const check = lineCheck(PolicyDraft, keptTexts, (request, line, others) =>
    policies.faultsOfDraft(callerOf(request).clientId, line, others),
  );

  /** What a line asks for, or why it is refused, as POST /policies would tell it. */
  function readLine(request: FastifyRequest, { line, text }: SentLine): ImportLine & LineFaults {
    try {
      const draft = parseJson(Buffer.from(text), request);
      trimHolder(draft);
      const found = check(request, draft);
      if (found.faults.length > 0) return { ...found, line, problem: keptProblem(invalid([...found.faults])) };
      const { regNumber, holder, coverageOption, startDate } = draft as PolicyDraft;
      return { ...found, line, draft: { regNumber, holder, coverageOption, startDate } as PolicyDraft };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { faults: [], ignored: [], line, problem: keptProblem(error) };
    }
  }

  async function tellSeconds(request: FastifyRequest, reply: FastifyReply, job: PolicyImport): Promise<void> {
    const seconds = await imports.secondsLeft(callerOf(request).clientId, job);
    if (seconds !== undefined) reply.header('Retry-After', String(seconds));
  }

  return {
    async importPolicies(request, reply) {
      const { clientId } = callerOf(request);
      const sent = linesOf(request, maxLines);
      const read = sent.map((line) => readLine(request, line));
      nameIgnoredOfLines(reply, read);
      const lines = read.map(({ faults: _faults, ignored: _ignored, ...line }) => line);
      // What the key is compared by.
      request.body = { lines: sent };
      const job = await accepted.answer(request, reply, (keep) =>
        imports.accept({ clientId, address: addressKey(request.ip) }, lines, keep),
      );
      if (drills.of(clientId, 'slow-imports')) noteDrill(request, 'slow-imports');
      await tellSeconds(request, reply, job);
      return reply
        .code(202)
        .header('Location', absoluteUrl(request, `${path}/${job.id}`))
        .send(job);
    },

    async listImports(request, reply) {
      const page = pageOf(request.query);
      const { items, total } = await imports.list(callerOf(request).clientId, page);
      reply.header('Link', links(absoluteUrl(request, path), page, total));
      return asPage(items, total, page);
    },

    async readImport(request, reply) {
      const job = await imports.read(callerOf(request).clientId, request.params.importId);
      await tellSeconds(request, reply, job);
      return job;
    },

    async listImportRows(request, reply) {
      const page = pageOf(request.query);
      const { importId } = request.params;
      const { items, total } = await imports.rows(callerOf(request).clientId, importId, page);
      reply.header('Link', links(absoluteUrl(request, `${path}/${importId}/rows`), page, total));
      return asPage(
        items.map((row) => shownRow(row, request)),
        total,
        page,
      );
    },
  };
}

function shownRow({ problem, ...row }: ImportRow, request: FastifyRequest) {
  if (!problem) return row;
  const { identifier, detail, errors } = problem;
  const refusal = new ProblemError(identifier, detail, errors && { errors });
  const {
    instance: _ofNoRequest,
    errors: _again,
    ...shown
  } = problemBody(refusal, request.server.problems[identifier], originOf(request), request.id);
  return { ...row, problem: { ...shown, ...(errors && { errors: [...errors] }) } };
}
