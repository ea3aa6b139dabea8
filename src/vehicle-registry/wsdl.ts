import { successor } from './end-of-v1.ts';
import { registryNamespace, soapAction } from './soap.ts';
import { escapeXml } from './soap-answer.ts';

/** The schema of what the operation takes and gives; it stands within the WSDL. */
const schema = `<xsd:schema targetNamespace="${registryNamespace}" elementFormDefault="qualified">
      <xsd:element name="GetVehicleDataRequest">
        <xsd:complexType>
          <xsd:sequence>
            <xsd:element name="RegNumber" type="xsd:string"/>
          </xsd:sequence>
        </xsd:complexType>
      </xsd:element>
      <xsd:element name="GetVehicleDataResponse">
        <xsd:complexType>
          <xsd:sequence>
            <xsd:element name="RegNumber" type="xsd:string"/>
            <xsd:element name="VinCode" type="xsd:string" minOccurs="0"/>
            <xsd:element name="Make" type="xsd:string"/>
            <xsd:element name="Model" type="xsd:string"/>
            <xsd:element name="FirstRegDate" type="xsd:date"/>
            <xsd:element name="EngineCapacityCcm" type="xsd:int" minOccurs="0"/>
            <xsd:element name="FuelType" type="tns:FuelType"/>
            <xsd:element name="OwnerType" type="xsd:string"/>
            <xsd:element name="InspectionValidTo" type="xsd:date" minOccurs="0"/>
            <xsd:element name="VehicleStatus" type="xsd:string"/>
          </xsd:sequence>
        </xsd:complexType>
      </xsd:element>
      <xsd:element name="VehicleNotFoundFault">
        <xsd:complexType>
          <xsd:sequence>
            <xsd:element name="RegNumber" type="xsd:string"/>
            <xsd:element name="Message" type="xsd:string"/>
          </xsd:sequence>
        </xsd:complexType>
      </xsd:element>
      <xsd:simpleType name="FuelType">
        <xsd:restriction base="xsd:string">
          <xsd:enumeration value="PETROL"/>
          <xsd:enumeration value="DIESEL"/>
          <xsd:enumeration value="ELECTRIC"/>
          <xsd:enumeration value="HYBRID"/>
          <xsd:enumeration value="GAS"/>
          <xsd:enumeration value="OTHER"/>
        </xsd:restriction>
      </xsd:simpleType>
    </xsd:schema>`;

/** The WSDL 1.1 document of the service at `address`, an absolute URL. */
export function wsdl(address: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions name="VehicleRegistryService"
    targetNamespace="${registryNamespace}"
    xmlns:tns="${registryNamespace}"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
    xmlns:xsd="http://www.w3.org/2001/XMLSchema">
  <wsdl:documentation>
    What the registry knows about a vehicle. OwnerType is NATURAL_PERSON or LEGAL_PERSON; VehicleStatus is REGISTERED,
    SUSPENDED or DEREGISTERED. Elements with minOccurs="0" are left out if they do not apply.
    Deprecated since 2026-11-21: the successor, REST v2, has the same data, see ${escapeXml(new URL(successor, address).href)}.
    The header Sunset of each answer says when this service will end.
  </wsdl:documentation>
  <wsdl:types>
    ${schema}
  </wsdl:types>
  <wsdl:message name="GetVehicleDataRequest">
    <wsdl:part name="parameters" element="tns:GetVehicleDataRequest"/>
  </wsdl:message>
  <wsdl:message name="GetVehicleDataResponse">
    <wsdl:part name="parameters" element="tns:GetVehicleDataResponse"/>
  </wsdl:message>
  <wsdl:message name="VehicleNotFound">
    <wsdl:part name="fault" element="tns:VehicleNotFoundFault"/>
  </wsdl:message>
  <wsdl:portType name="VehicleRegistryPortType">
    <wsdl:operation name="GetVehicleData">
      <wsdl:input message="tns:GetVehicleDataRequest"/>
      <wsdl:output message="tns:GetVehicleDataResponse"/>
      <wsdl:fault name="VehicleNotFound" message="tns:VehicleNotFound"/>
    </wsdl:operation>
  </wsdl:portType>
  <wsdl:binding name="VehicleRegistryBinding" type="tns:VehicleRegistryPortType">
    <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="GetVehicleData">
      <soap:operation soapAction="${soapAction}" style="document"/>
      <wsdl:input>
        <soap:body use="literal"/>
      </wsdl:input>
      <wsdl:output>
        <soap:body use="literal"/>
      </wsdl:output>
      <wsdl:fault name="VehicleNotFound">
        <soap:fault name="VehicleNotFound" use="literal"/>
      </wsdl:fault>
    </wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="VehicleRegistryService">
    <wsdl:port name="VehicleRegistryPort" binding="tns:VehicleRegistryBinding">
      <soap:address location="${escapeXml(address)}"/>
    </wsdl:port>
  </wsdl:service>
</wsdl:definitions>
`;
}
