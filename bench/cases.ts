import { claim, claims, insurer, type Learner, published } from './learner.ts';
import { type Load, mark } from './load.ts';

/** One request that is compared with a bare server. */
export interface Case {
  readonly what: string;
  /** The least share of the bare server's requests a second, and the share to aim at. No target: only shown. */
  readonly target?: { readonly least: number; readonly aim: number };
  /** Whether the bare server reads the body and parses it as JSON, too. */
  readonly bareParses?: boolean;
  /** Whether it creates policies as well, on the disk, so that nothing that has to be done is left out. */
  readonly bareCreates?: boolean;
  /** The requests, for a client of the server at `origin` that owns the policies at `policies`, 20 at the least. */
  load(learner: Learner, policies: string[], origin: string): Load | Promise<Load>;
}

/** Events in a batch. */
const batch = 100;

const registry = 'http://lplate.example/vehicle-registry/v1';

/** The cases by the name that `npm run bench -- NAME` takes. */
export const cases: Readonly<Record<string, Case>> = {
  read: {
    what: 'read a policy',
    target: { least: 0.45, aim: 0.55 },
    load: ({ authorization }, policies) => ({ method: 'GET', paths: policies, headers: authorization }),
  },
  create: {
    what: 'create a policy',
    target: { least: 0.7, aim: 0.85 },
    bareParses: true,
    bareCreates: true,
    load: create,
  },
  list: {
    what: 'list 20 policies',
    load: (learner) => list(learner, 1, 20),
  },
  register: {
    what: 'register a claim',
    bareParses: true,
    load: ({ authorization }, policies) => ({
      method: 'POST',
      paths: [`${claims}/claims`],
      headers: { ...authorization, 'Content-Type': 'application/json' },
      // At the slowest pace, so that the desk leaves them alone meanwhile.
      body: JSON.stringify({ policyNumber: policies[0]?.split('/').at(-1), paceSeconds: 3600 }),
    }),
  },
  claims: {
    what: 'list 20 claims',
    load: async (learner, policies, origin) => {
      for (const policy of policies.slice(0, 20)) await claim(origin, learner, policy, 3600);
      return {
        method: 'GET',
        paths: [`${claims}/claims?page=1&pageSize=20`],
        headers: learner.authorization,
      };
    },
  },
  topic: {
    what: `read ${batch} events`,
    load: async (learner, policies, origin) => {
      // Each claim gives three.
      for (let count = 0; count < batch; count += 3) await claim(origin, learner, policies[0] as string, 1);
      await published(origin, learner, batch);
      return {
        method: 'GET',
        paths: [`${claims}/topics/claims.status-changed?limit=${batch}`],
        headers: learner.authorization,
      };
    },
  },
  soap: {
    what: 'look up a vehicle by SOAP',
    load: () => ({
      method: 'POST',
      paths: ['/vehicle-registry/v1'],
      headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${registry}/GetVehicleData"` },
      body: `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <GetVehicleDataRequest xmlns="${registry}">
      <RegNumber>AB-1234</RegNumber>
    </GetVehicleDataRequest>
  </soap:Body>
</soap:Envelope>`,
    }),
  },
};

export function create({ authorization }: Learner): Load {
  return {
    method: 'POST',
    paths: [`${insurer}/policies`],
    headers: { ...authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ regNumber: `B-${mark}`, holder: 'Ada Example' }),
  };
}

export function list({ authorization }: Learner, page: number, pageSize: number): Load {
  return { method: 'GET', paths: [`${insurer}/policies?page=${page}&pageSize=${pageSize}`], headers: authorization };
}
