import { envelopeOf, type SoapOperation } from './soap-operation.ts';
import { knownPlate } from './walk-steps.ts';

/*
 * A project for SoapUI (5.x), as it saves one: the interface with the WSDL, a request to try, and a test case that sends
 * it and one for a plate that was never issued.
 */

const unknownPlate = 'XX-0001';

export function soapUiProject(wsdl: string, soap: SoapOperation): string {
  const { operation, action, binding, namespace, address } = soap;
  const definition = `${address}?wsdl`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<con:soapui-project name="L-Plate" soapui-version="5.7.2" resourceRoot="" xmlns:con="http://eviware.com/soapui/config">
  <con:settings/>
  <con:interface xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="con:WsdlInterface" name="${binding}" type="wsdl" bindingName="{${namespace}}${binding}" soapVersion="1_1" anonymous="optional" wsaVersion="NONE" definition="${definition}">
    <con:settings/>
    <con:definitionCache type="TEXT" rootPart="${definition}">
      <con:part>
        <con:url>${definition}</con:url>
        <con:content>${cdata(wsdl)}</con:content>
        <con:type>http://schemas.xmlsoap.org/wsdl/</con:type>
      </con:part>
    </con:definitionCache>
    <con:endpoints>
      <con:endpoint>${address}</con:endpoint>
    </con:endpoints>
    <con:operation name="${operation}" bindingOperationName="${operation}" action="${action}" type="Request-Response" isOneWay="false" inputName="" receivesAttachments="false" sendsAttachments="false" anonymous="optional">
      <con:settings/>
      <con:call name="A vehicle">
        <con:settings/>
        <con:encoding>UTF-8</con:encoding>
        <con:endpoint>${address}</con:endpoint>
        <con:request>${cdata(envelopeOf(soap, knownPlate))}</con:request>
      </con:call>
    </con:operation>
  </con:interface>
  <con:testSuite name="Vehicle registry">
    <con:settings/>
    <con:runType>SEQUENTIAL</con:runType>
    <con:testCase name="Vehicles" failOnError="true" failTestCaseOnErrors="true" keepSession="false" maxResults="0" searchProperties="true">
      <con:settings/>
${step('A vehicle', soap, knownPlate, contains(`<RegNumber>${knownPlate}</RegNumber>`), '<con:assertion type="SOAP Fault Assertion" name="Not a SOAP fault"/>')}
${step('A plate that was never issued', soap, unknownPlate, contains('VehicleNotFoundFault'), '<con:assertion type="Not SOAP Fault Assertion" name="A SOAP fault"/>')}
    </con:testCase>
  </con:testSuite>
</con:soapui-project>
`;
}

function step(name: string, soap: SoapOperation, plate: string, ...assertions: readonly string[]): string {
  return `      <con:testStep type="request" name="${name}">
        <con:settings/>
        <con:config xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="con:RequestStep">
          <con:interface>${soap.binding}</con:interface>
          <con:operation>${soap.operation}</con:operation>
          <con:request name="${name}">
            <con:settings/>
            <con:encoding>UTF-8</con:encoding>
            <con:endpoint>${soap.address}</con:endpoint>
            <con:request>${cdata(envelopeOf(soap, plate))}</con:request>
            ${assertions.join('\n            ')}
          </con:request>
        </con:config>
      </con:testStep>`;
}

const contains = (token: string) =>
  `<con:assertion type="Simple Contains" name="Contains"><con:configuration><token>${token.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</token><ignoreCase>false</ignoreCase><useRegEx>false</useRegEx></con:configuration></con:assertion>`;

const cdata = (text: string) => `<![CDATA[${text}]]>`;
