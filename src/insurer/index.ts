import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { ClientsPart } from '../clients/index.ts';
import { jwksPath, metadataPath } from '../clients/oauth-metadata.ts';
import type { Context } from '../context.ts';
import type { Sql } from '../database/database.ts';
import { StoredAnswers } from '../http/answers/stored-answers.ts';
import { describeInterface } from '../http/descriptions/description.ts';
import { serveYaml } from '../http/descriptions/served-document.ts';
import { restInterface } from '../http/rest.ts';
import { TimesAheadTask } from '../jobs/times-ahead.ts';
import type { System } from '../system.ts';
import { clocksMoved } from '../time/client-clocks.ts';
import type { Erasure } from './erasure.ts';
import { erasureRoutes } from './erasure-routes.ts';
import { Erasures, erasureAsked, erasureRemoval, erasuresAhead, ownedErasures } from './erasures.ts';
import { beginFleet, FleetRenewal } from './fleet-renewal.ts';
import { GivenPolicies } from './given-policies.ts';
import { importRoutes } from './import-routes.ts';
import { erasedRows, importedRows, showImportBytes, showOpenErasures, showStatementBytes } from './metrics.ts';
import { openApiInfo } from './openapi-info.ts';
import { authorizePath, authorizeRoutes } from './people/authorize.ts';
import { People } from './people/people.ts';
import { tokenRoutes } from './people/token-routes.ts';
import { ownedPolicies, Policies, type StoredPolicy } from './policies.ts';
import { ErasureDraft, PolicyDraft } from './policy.ts';
import type { PolicyImport } from './policy-import.ts';
import {
  importAccepted,
  importRemoval,
  importsAhead,
  importsRole,
  ownedImports,
  PolicyImports,
} from './policy-imports.ts';
import { fleetId, seedPresets } from './presets.ts';
import { probeRoutes } from './probe-routes.ts';
import { problems } from './problems.ts';
import { base } from './route-texts.ts';
import { routes } from './routes.ts';
import type { FindVehicle } from './statements/premium.ts';
import { statementRoutes } from './statements/routes.ts';
import { type Statement, StatementDraft } from './statements/statement.ts';
import {
  ownedStatements,
  Statements,
  statementAccepted,
  statementRemoval,
  statementsAhead,
  statementsRole,
} from './statements/statements.ts';

/** The insurer, and what it offers to the rest of the program. */
export interface Insurer extends System {
  readonly givenPolicies: GivenPolicies;
  readonly people: People;
  readonly statements: Statements;
  /** Writes the preconfigured clients, unless they are there. */
  seed(sql: Sql): Promise<void>;
}

export { coverageOptions } from './coverage-option.ts';
export type { GivenPolicies, HeldPolicy } from './given-policies.ts';
export type { People } from './people/people.ts';
export { countPolicies, existingPolicies, hasHolder, holdPolicy, policyIdAdvice, policyNumbered } from './policies.ts';
export { FleetDraft, fleetPolicyStatus, newPolicy, type Policy, statusOn } from './policy.ts';
export { isInForce, policyStatuses } from './policy-status.ts';
export { practiceFleet, practiceFleetSize } from './practice-fleet.ts';
export { fleetId, readerId } from './presets.ts';
export { vehicleKey } from './registration-number.ts';
export { base } from './route-texts.ts';
export { keptTexts as keptTextsOfPolicy, trimHolder } from './routes.ts';
export { quotient } from './statements/money.ts';
export type { StatementSums, Statements } from './statements/statements.ts';
export { tokenFlow, tokenSchemes } from './token-schemes.ts';

/** Milliseconds between two checks whether a group of an import, or a statement, is due. */
const dueEveryMs = 250;

const draft = new URL('../../contracts/insurer-v0.openapi.yaml', import.meta.url);

/** Opens the insurer: its preconfigured clients, its policies and its endpoints. `findVehicle` is of the vehicle registry. */
export async function openInsurer(context: Context, clients: ClientsPart, findVehicle: FindVehicle): Promise<Insurer> {
  const { config, database, clock, clocks, randomness, secrets, drills, metrics } = context;
  const cap = config.policiesPerClient;
  const policies = new Policies(database, clock, clocks, randomness, config);
  const created = new StoredAnswers<StoredPolicy>(database, clocks, 'POST /insurer/v1/policies', PolicyDraft);
  const worked = importedRows(metrics.registry);
  const imports = new PolicyImports({ database, clock, clocks, randomness, drills, policies, worked });
  const sent = { properties: { lines: {} } };
  const accepted = new StoredAnswers<PolicyImport>(database, clocks, 'POST /insurer/v1/policy-imports', sent);
  showImportBytes(metrics.registry, () => imports.bytes());
  const statements = new Statements({ database, clock, clocks, randomness, drills, findVehicle });
  const acceptedStatements = new StoredAnswers<Statement>(
    database,
    clocks,
    'POST /insurer/v1/statements',
    StatementDraft,
  );
  showStatementBytes(metrics.registry, () => statements.bytes());
  const erasures = new Erasures({
    database,
    clock,
    clocks,
    randomness,
    names: clients.names,
    erased: erasedRows(metrics.registry),
  });
  const asked = new StoredAnswers<Erasure>(database, clocks, 'POST /insurer/v1/erasures', ErasureDraft);
  showOpenErasures(metrics.registry, () => erasures.open());
  const seed = (sql: Sql) => seedPresets(sql, secrets, clock.now(), randomness);
  await database.write(seed);
  const givenPolicies = new GivenPolicies({ database, clock, clocks, randomness, cap });
  const people = new People({ database, clocks, randomness, givenPolicies });
  const fleetRenewal = new FleetRenewal(database, clock, randomness);
  await fleetRenewal.step();
  const restore = { clientId: fleetId, write: (sql: Sql) => beginFleet(sql, clock.now(), randomness) };
  clients.registerRows(ownedPolicies(restore, clocks));
  for (const rows of [...ownedImports, ownedStatements, ownedErasures]) clients.registerRows(rows);

  async function register(server: FastifyInstance): Promise<void> {
    const v0 = (await readFile(draft, 'utf8')).replaceAll('http://localhost:8080', config.publicUrl);
    await server.register(
      async (scope) => {
        restInterface(scope, context, clients.tokens);
        await scope.register(
          async (api) => {
            const describe = describeInterface(api, openApiInfo(config.publicUrl), clock);
            routes(api, { ...clients, policies, created, drills, clocks });
            authorizeRoutes(api, { ...clients, people, clocks, drills, randomness });
            tokenRoutes(api, clients, config.tlsClientCa !== undefined);
            importRoutes(api, { policies, imports, accepted, drills, clocks });
            statementRoutes(api, { statements, accepted: acceptedStatements, drills, clocks });
            erasureRoutes(api, { erasures, asked });
            probeRoutes(api, { context, policies });
            // Endpoint 11
            describe('Range');
          },
          { prefix: '/v1' },
        );
        // After v1, which a guess at an address more likely means.
        serveYaml(scope, 'v0/openapi', v0);
      },
      { prefix: '/insurer' },
    );
    clients.serveMetadata(server, {
      authorize: authorizePath,
      token: `${base}/auth/token`,
      revoke: `${base}/auth/revoke`,
      introspect: `${base}/auth/introspect`,
    });
  }

  return {
    name: 'insurer',
    givenPolicies,
    people,
    statements,
    seed,
    problems,
    addresses: [
      { what: 'Insurer, REST interface v1', path: base, page: false },
      { what: 'its description', path: `${base}/openapi.yaml` },
      { what: 'its v0 draft description', path: '/insurer/v0/openapi.yaml' },
      { what: 'Token keys', path: jwksPath },
      { what: 'OAuth 2.0 metadata', path: metadataPath },
    ],
    documents: [
      { title: 'Insurer v1', path: `${base}/openapi.yaml` },
      { title: 'Insurer v0 (draft)', path: '/insurer/v0/openapi.yaml' },
    ],
    roles: [importsRole, statementsRole],
    jobs: [
      {
        name: 'the import of policies',
        role: importsRole,
        everyMs: dueEveryMs,
        signals: [clocksMoved, importAccepted],
        run: (jobTurn) => imports.round(jobTurn),
      },
      {
        name: 'the statements of months',
        role: statementsRole,
        everyMs: dueEveryMs,
        signals: [clocksMoved, statementAccepted],
        run: (jobTurn) => statements.round(jobTurn),
      },
      {
        name: 'the erasure of names',
        role: importsRole,
        everyMs: dueEveryMs,
        signals: [erasureAsked],
        run: (jobTurn) => erasures.round(jobTurn),
      },
    ],
    housekeeping: [
      fleetRenewal,
      new TimesAheadTask('policy imports ahead of the clock', database, clock, [importsAhead]),
      new TimesAheadTask('erasures ahead of the clock', database, clock, [erasuresAhead]),
      importRemoval(database, clock),
      new TimesAheadTask('statements ahead of the clock', database, clock, [statementsAhead]),
      statementRemoval(database, clock),
      erasureRemoval(database, clock),
    ],
    forget: () => fleetRenewal.forget(),
    register,
  };
}
