/** Lessons “The vehicle registry”. It asks nobody who calls, so the prefix says whose calls these are. */
export async function registry(me) {
  // lesson: wsdl
  // Tools make a client from the WSDL. Here it is only read for the namespace, and the call is written by hand.
  const { text: wsdl } = await me.bare('GET', '/vehicle-registry/v1?wsdl');
  const [, namespace] = /targetNamespace="([^"]+)"/.exec(wsdl);

  // lesson: soap-lookup, soap-fault, old-service-ends
  const lookUp = (number) =>
    me.bare('POST', '/vehicle-registry/v1', {
      headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${namespace}/GetVehicleData"` },
      body: `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
        <GetVehicleDataRequest xmlns="${namespace}"><RegNumber>${number}</RegNumber></GetVehicleDataRequest>
      </soap:Body></soap:Envelope>`,
    });

  // lesson: soap-lookup
  await lookUp('AA-0001');

  // lesson: soap-fault
  // Every fault has the status 500. This one is an answer: there is no such vehicle. So the next one is looked up.
  for (const number of ['XX-0001', 'AA-0001']) {
    const { status, text } = await lookUp(number);
    if (status === 500 && !text.includes('VehicleNotFoundFault')) throw new Error(text);
  }

  // lesson: same-vehicle
  // The vehicle that SOAP gave, from the successor.
  await me.bare('GET', '/vehicle-registry/v2/vehicles/AA-0001');

  // lesson: no-vin
  // One vehicle after the other, until one has no VIN: the member may be missing.
  for (let at = 1; ; at += 1) {
    const number = `AA-${String(at).padStart(4, '0')}`;
    const { json: vehicle } = await me.bare('GET', `/vehicle-registry/v2/vehicles/${number}`);
    if (vehicle.vin_code !== undefined) continue;
    await me.answer('no-vin', number);
    break;
  }

  // lesson: old-service-ends
  // The end of v1, for a few minutes: 410 is final, so the same vehicle comes from the successor.
  await me.startDrill('sunset');
  const ended = await lookUp('AA-0001');
  if (ended.status !== 410) throw new Error(`${ended.status} in place of 410`);
  await me.bare('GET', '/vehicle-registry/v2/vehicles/AA-0001');
  await me.endDrill('sunset');
  // end
}
