import { deskRole } from '../../src/claims/desk.ts';
import { relayRole } from '../../src/events/relay.ts';
import { importsRole } from '../../src/insurer/policy-imports.ts';
import { statementsRole } from '../../src/insurer/statements/statements.ts';
import { housekeepingRole } from '../../src/jobs/housekeeping.ts';
import { webhooksRole } from '../../src/webhooks/dispatcher.ts';

/** Every role of the product. */
export const roles = [deskRole, webhooksRole, relayRole, housekeepingRole, importsRole, statementsRole];
export { deskRole, housekeepingRole, relayRole, webhooksRole };
