import type { FastifyInstance } from 'fastify';
import { html, page } from '../http/answers/page.ts';
import { registryNamespace, soapAction, soapNamespace } from './soap.ts';

const exampleRequest = `<soap:Envelope xmlns:soap="${soapNamespace}">
  <soap:Body>
    <GetVehicleDataRequest xmlns="${registryNamespace}">
      <RegNumber>AB-1234</RegNumber>
    </GetVehicleDataRequest>
  </soap:Body>
</soap:Envelope>`;

/** The page at the address of the SOAP service, for people with a browser. */
export function howToCall(server: FastifyInstance, address: string): Buffer {
  const call = `curl -s ${address} \\
  -H 'Content-Type: text/xml; charset=utf-8' \\
  -H 'SOAPAction: "${soapAction}"' \\
  -d '${exampleRequest}'`;
  return page(
    server,
    'Vehicle registry v1 – L-Plate',
    html`<h1>Vehicle registry v1: a SOAP service</h1>
<p>It has one operation, <code>GetVehicleData</code>: it returns what the registry knows about a vehicle, by its registration number. SOAP 1.1, document/literal, no authentication.</p>
<p>Give the address of its <a href="/vehicle-registry/v1?wsdl">WSDL</a> to SoapUI, .NET, Java or zeep, and they create a client from it:</p>
<pre class="wrapped" tabindex="0">${address}?wsdl</pre>
<h2>By hand</h2>
<p>Or POST an envelope:</p>
<pre id="example" tabindex="0">${call}</pre>
<p>Registration numbers are two letters and four digits. Numbers with <code>XX</code>, <code>ZZ</code> or <code>0000</code> were never issued: request <code>XX-1234</code> to get the fault <code>VehicleNotFound</code>. Every fault has HTTP status 500, as SOAP 1.1 requires.</p>
<p>This interface has a successor: <a href="/docs?api=vehicle-registry-v2">REST v2</a> returns the same data as JSON. Each answer says so in <code>Deprecation</code> and <code>Link</code>, and in <code>Sunset</code> when v1 will end.</p>`,
    '/docs',
  );
}
