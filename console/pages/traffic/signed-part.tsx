import type { Exchange } from '../../api/types.ts';
import { bytesText, textOf } from '../../model/exchange-body.ts';
import { hexDump } from '../../model/hex-dump.ts';
import { visible } from '../../model/line.ts';
import { Button, CopyButton } from '../../parts/parts.tsx';
import { keepFor } from '../../state/kept.ts';
import { go } from '../../state/route.ts';
import { Text } from './body-part.tsx';
import { Fold } from './fold.tsx';
import type { Signed } from './signed.ts';

interface SignedPartProps {
  readonly signed: Signed;
  readonly exchange: Exchange;
}

/** The bytes that a signature must be of. The secret is in no log, so the signature itself can't be checked here. */
export function SignedPart({ signed, exchange }: SignedPartProps) {
  const { header, what, bytes, fault } = signed;
  const text = new TextDecoder().decode(bytes);
  const isDelivery = exchange.kind === 'delivery';
  const isInQuestion = exchange.problem === 'invalid-signature' || exchange.delivery?.via === 'inbox';
  return (
    <Fold title="What was signed" beside={bytesText(bytes.length)} open={isInQuestion}>
      <p class="small">
        <code>{header}</code> must be the HMAC-SHA256 of {what}: {bytesText(bytes.length)}.{' '}
        {isDelivery
          ? 'Its key is what follows whsec_ in the secret, read as base64. To check it, make the same of what you receive, before any parser touches the body.'
          : 'The secret is not in the log. In the Workbench you can compute the signature of these bytes.'}
      </p>
      {isDelivery && (
        <p>
          <Button small onPress={() => toWorkbench(exchange)}>
            Check in the Workbench
          </Button>
        </p>
      )}
      {fault && <p class="oddity">{fault}</p>}
      {bytes.length > 0 && (
        <>
          <div class="row ends">
            <span class="label">As text</span>
            <CopyButton text={text} />
          </div>
          <Text label="The signed bytes as text" text={visible(text)} />
          <div class="row ends">
            <span class="label">As bytes</span>
            <CopyButton text={() => hexDump(bytes)} />
          </div>
          <Text label="The signed bytes in hexadecimal" text={hexDump(bytes)} isTable />
        </>
      )}
    </Fold>
  );
}

/** Opens the tool for webhooks with what was sent. */
function toWorkbench({ request }: Exchange): void {
  const sent = request.headers.filter(({ name }) => /^webhook-/i.test(name));
  keepFor('webhook.headers', sent.map(({ name, value }) => `${name}: ${value}`).join('\n'));
  keepFor('webhook.body', request.body ? textOf(request.body) : '');
  go('/workbench/webhook');
}
