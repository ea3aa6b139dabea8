import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveDrills } from '../active-drills.ts';
import type { StoredAnswers } from '../http/answers/stored-answers.ts';
import { type Api, type Handlers, tableOf } from '../http/endpoint.ts';
import { ProblemError, problemBody } from '../http/problems/problem.ts';
import { absoluteUrl, originOf } from '../http/requests/absolute-url.ts';
import { addressKey } from '../http/requests/address.ts';
import { callerOf } from '../http/requests/bearer.ts';
import { noteDrill } from '../http/requests/faults.ts';
import { creationProblems } from '../http/requests/idempotency-key.ts';
import { parseJson } from '../http/requests/json.ts';
import { type LineFaults, lineCheck, nameIgnoredOfLines } from '../http/requests/names.ts';
import { linesOf, type SentLine } from '../http/requests/ndjson.ts';
import { asPage, links, pageOf } from '../http/requests/paging.ts';
import { invalid } from '../http/requests/validation.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { refusalExamples } from './example-values.ts';
import { duplicate, type Policies } from './policies.ts';
import { PolicyDraft } from './policy.ts';
import { type ImportRow, type KeptRefusal, maxLines, type PolicyImport } from './policy-import.ts';
import { type ImportLine, keptRefusal, type PolicyImports } from './policy-imports.ts';
import { base, manyPolicies, importTexts as texts } from './route-texts.ts';
import { keptTexts, trimHolder } from './routes.ts';

export interface ImportRoutesOptions {
  readonly policies: Policies;
  readonly imports: PolicyImports;
  readonly drills: ActiveDrills;
  readonly clocks: ClientClocks;
  /** Answers to imports that were accepted. */
  readonly accepted: StoredAnswers<PolicyImport>;
}

const read = 'policies:read';
const write = 'policies:write';

/** Imports, which stand beside the endpoints of the specification. */
export function importRoutes(api: Api, options: ImportRoutesOptions): void {
  const route = tableOf(api, texts, handlers(options));
  route('POST', '/policy-imports', 'importPolicies', write, creationProblems, {
    body: 'bytes',
    line: PolicyDraft,
    many: manyPolicies,
    ownExamples: refusalExamples,
  });
  route('GET', '/policy-imports', 'listImports', read, ['validation-error']);
  route('GET', '/policy-imports/:importId', 'readImport', read, ['import-not-found']);
  route('GET', '/policy-imports/:importId/rows', 'listImportRows', read, ['import-not-found', 'validation-error'], {
    line: PolicyDraft,
    many: manyPolicies,
    ownExamples: refusalExamples,
  });
}

const oneALine =
  'The body has objects over several lines: write each on one line, as JSON.stringify does without spaces, and jq with -c.';

/** Tells whether a line looks like one of JSON that is written over several lines. */
const isFragment = (line: string) => /^(?:[[{]|[}\]],?)$|^"\w*"\s*:/.test(line.trim());

/** A line that was refused. */
interface Refused {
  readonly line: number;
  readonly refusal: KeptRefusal;
}

const path = `${base}/policy-imports`;

/** What a line asks for, or why it is refused, and its names that nobody knows. */
type ReadLine = Pick<LineFaults, 'ignored'> & ({ readonly draft: PolicyDraft } | { readonly problem: ProblemError });

function handlers({ policies, imports, accepted, drills, clocks }: ImportRoutesOptions): Handlers<typeof texts> {
  const check = lineCheck(PolicyDraft, keptTexts);

  /** What a line asks for, or why it is refused, as POST /policies would tell it at that time of the client. */
  function readLine(request: FastifyRequest, { line, text }: SentLine, now: number): ReadLine {
    try {
      const draft = parseJson(Buffer.from(text), request, line);
      trimHolder(draft);
      const { ignored, faults } = check(request, draft, (line, others) => policies.faultsOfDraft(now, line, others));
      if (faults.length > 0) return { ignored, problem: invalid([...faults]) };
      const { regNumber, holder, coverageOption, startDate } = draft as PolicyDraft;
      return { ignored, draft: { regNumber, holder, coverageOption, startDate } as PolicyDraft };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const problem = isFragment(text)
        ? new ProblemError(error.identifier, `${error.message} ${oneALine}`, error.extras)
        : error;
      return { ignored: [], problem };
    }
  }

  /** A line as it is kept. One that is refused is told again of what was sent, unless that has a secret in it. */
  function keptLine({ server }: FastifyRequest, { line, text }: SentLine, read: ReadLine): ImportLine {
    if ('draft' in read) return { line, draft: read.draft };
    return { line, refusal: server.secretFinder.isIn(text) ? keptRefusal(read.problem) : { sent: text } };
  }

  function told(request: FastifyRequest, { line, refusal }: Refused, createdAt: string): ProblemError {
    if ('regNumber' in refusal) return duplicate(refusal);
    if ('errors' in refusal) return invalid([...refusal.errors]);
    if ('detail' in refusal) return new ProblemError(refusal.identifier, refusal.detail);
    const read = readLine(request, { line, text: refusal.sent }, Date.parse(createdAt));
    return 'problem' in read ? read.problem : new ProblemError('validation-error', formerlyRefused);
  }

  function shownRow(request: FastifyRequest, { refusal, ...row }: ImportRow, createdAt: string) {
    if (!refusal) return row;
    const problem = told(request, { ...row, refusal }, createdAt);
    const {
      instance: _ofNoRequest,
      errors,
      ...shown
    } = problemBody(problem, request.server.problems[problem.identifier], originOf(request), request.id);
    return { ...row, problem: { ...shown, ...(errors && { errors: [...errors] }) } };
  }

  async function tellSeconds(request: FastifyRequest, reply: FastifyReply, job: PolicyImport): Promise<void> {
    const seconds = await imports.secondsLeft(callerOf(request).clientId, job);
    if (seconds !== undefined) reply.header('Retry-After', String(seconds));
  }

  return {
    async importPolicies(request, reply) {
      const { clientId } = callerOf(request);
      const sent = linesOf(request, maxLines);
      const now = clocks.now(clientId);
      const read = sent.map((line) => readLine(request, line, now));
      nameIgnoredOfLines(reply, read);
      const lines = sent.map((line, at) => keptLine(request, line, read[at] as ReadLine));
      const bytes = sent.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      // What the key is compared by.
      request.body = { lines: sent };
      const job = await accepted.answer(request, reply, (keep) =>
        imports.accept({ clientId, address: addressKey(request.ip) }, { lines, bytes, now }, keep),
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
      const { status } = request.query;
      const { items, total, createdAt } = await imports.rows(callerOf(request).clientId, importId, page, status);
      const filters = { ...(status && { status }) };
      reply.header('Link', links(absoluteUrl(request, `${path}/${importId}/rows`), page, total, filters));
      return asPage(
        items.map((row) => shownRow(request, row, createdAt)),
        total,
        page,
      );
    },
  };
}

/** Of a line that another version refused. */
const formerlyRefused = 'The line was refused by a version before this one, which would take it. Send it again.';
