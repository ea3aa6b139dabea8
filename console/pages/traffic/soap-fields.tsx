import type { Soap } from '../../model/xml-lines.ts';
import { Pairs } from './heads.tsx';

/** What a SOAP envelope says, without the envelope. */
export function SoapFields({ soap: { operation, fields } }: { readonly soap: Soap }) {
  if (fields.length === 0) {
    return (
      <p class="small">
        SOAP: <code>{operation}</code>, without fields that have text.
      </p>
    );
  }
  return <Pairs label={`SOAP: ${operation}`} pairs={fields} notes={undefined} placeOf={(name) => name} />;
}
