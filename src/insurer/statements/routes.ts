import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveDrills } from '../../active-drills.ts';
import { sendFile } from '../../http/answers/served-file.ts';
import type { StoredAnswers } from '../../http/answers/stored-answers.ts';
import { type Api, type Handlers, tableOf } from '../../http/endpoint.ts';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import { addressKey } from '../../http/requests/address.ts';
import { callerOf } from '../../http/requests/bearer.ts';
import { cutInTheMiddle, noteDrill } from '../../http/requests/faults.ts';
import { creationProblems } from '../../http/requests/idempotency-key.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { day } from '../../time/clock.ts';
import { base } from '../route-texts.ts';
import { layouts, monthFault, type Statement, type Totals } from './statement.ts';
import type { Statements } from './statements.ts';
import { texts } from './texts.ts';

export interface StatementRoutesOptions {
  readonly statements: Statements;
  readonly drills: ActiveDrills;
  readonly clocks: ClientClocks;
  /** Answers to statements that were accepted. */
  readonly accepted: StoredAnswers<Statement>;
}

/** A statement changes no policy: who may read all of them may have it. */
const read = 'policies:read';

/** Statements, which stand beside the endpoints of the specification. */
export function statementRoutes(api: Api, options: StatementRoutesOptions): void {
  const { clocks } = options;
  const route = tableOf(api, texts, handlers(options));
  route('POST', '/statements', 'makeStatement', read, creationProblems, {
    body: 'json',
    ruleFaults({ clientId, body }) {
      const detail = monthFault(Object(body), day(clocks.now(clientId)));
      return detail === undefined ? [] : [{ pointer: '/month', detail }];
    },
  });
  route('GET', '/statements/:statementId', 'readStatement', read, ['statement-not-found']);
  route('GET', '/statements/:statementId/content', 'readStatementContent', read, [
    ...(['statement-not-found', 'statement-not-ready', 'precondition-failed', 'range-not-satisfiable'] as const),
  ]);
}

function handlers({ statements, drills, accepted }: StatementRoutesOptions): Handlers<typeof texts> {
  async function tellSeconds(request: FastifyRequest, reply: FastifyReply, { id }: Statement): Promise<void> {
    const seconds = await statements.secondsLeft(callerOf(request).clientId, id);
    if (seconds !== undefined) reply.header('Retry-After', String(seconds));
  }

  /** The totals that the trailer of this answer tells. */
  function told(request: FastifyRequest, totals: Totals): Totals {
    const drill = drills.of(callerOf(request).clientId, 'wrong-trailer');
    if (!drill) return totals;
    noteDrill(request, 'wrong-trailer');
    const { what } = drill.parameters;
    return { ...totals, [what]: totals[what] + 1 };
  }

  return {
    async makeStatement(request, reply) {
      const { clientId } = callerOf(request);
      const asker = { clientId, address: addressKey(request.ip) };
      const made = await accepted.answer(request, reply, (keep) => statements.accept(asker, request.body, keep));
      if (drills.of(clientId, 'late-statement')) noteDrill(request, 'late-statement');
      await tellSeconds(request, reply, made);
      return reply
        .code(202)
        .header('Location', absoluteUrl(request, `${base}/statements/${made.id}`))
        .send(made);
    },

    async readStatement(request, reply) {
      const found = await statements.read(callerOf(request).clientId, request.params.statementId);
      await tellSeconds(request, reply, found);
      return found;
    },

    async readStatementContent(request, reply) {
      const { clientId } = callerOf(request);
      const { statement, rows, totals } = await statements.file(clientId, request.params.statementId);
      const { month, format, currency } = statement;
      const { type, extension, trailer } = layouts[format];
      const bytes = Buffer.from(rows + trailer(told(request, totals), currency));
      const disposition = `attachment; filename="statement-${month}-${currency}.${extension}"`;
      const isWhole = request.method === 'GET' && request.headers.range === undefined;
      if (isWhole && (await drills.hit(clientId, 'short-file'))) {
        noteDrill(request, 'short-file');
        cutInTheMiddle(request, reply);
      }
      return sendFile(request, reply, { bytes, type, disposition });
    },
  };
}
