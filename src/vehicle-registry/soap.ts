export const soapNamespace = 'http://schemas.xmlsoap.org/soap/envelope/';

export const registryNamespace = 'http://lplate.example/vehicle-registry/v1';

/** The SOAP action of the only operation there is. */
export const soapAction = `${registryNamespace}/GetVehicleData`;

/** The least that is a request, on one line, for the messages of faults. */
export const minimalRequest = `<soap:Envelope xmlns:soap="${soapNamespace}"><soap:Body><GetVehicleDataRequest xmlns="${registryNamespace}"><RegNumber>AB-1234</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>`;

/** Why a request is refused: `code` is a fault code of SOAP 1.1 (4.4.1), `message` is for the sender. */
export interface SoapFault {
  code: 'Client' | 'VersionMismatch' | 'MustUnderstand';
  message: string;
}
