# A client of L-Plate for PowerShell 7: it renews its token, waits when it is told to, and reads page by page.
$ErrorActionPreference = 'Stop'
$url = if ($env:LPLATE_URL) { $env:LPLATE_URL } else { 'http://localhost:8080' }
$insurer, $claims = "$url/insurer/v1", "$url/claims/v1"
$script:token = $null

# The answer, whatever its status; after a new token if that had expired, and after a pause if one is asked for.
function Invoke-Call([string] $Method, [string] $Uri, $Body, [switch] $Open) {
    $renewed = $false
    while ($true) {
        $call = @{ Method = $Method; Uri = $Uri; SkipHttpErrorCheck = $true; TimeoutSec = 30; Headers = @{} }
        if (-not $Open) { $call.Headers.Authorization = "Bearer $script:token" }
        if ($null -ne $Body) { $call += @{ ContentType = 'application/json'; Body = ConvertTo-Json $Body -Compress } }
        $answer = Invoke-WebRequest @call
        if ($answer.StatusCode -eq 401 -and -not $Open -and -not $renewed) {
            $renewed = $true
            Update-Token
        }
        elseif ($answer.StatusCode -in 429, 503 -and $answer.Headers['Retry-After']) {
            Start-Sleep -Seconds ([int] $answer.Headers['Retry-After'][0])
        }
        else {
            return $answer
        }
    }
}

# The object of an answer that is no refusal.
function Read-Answer([string] $Method, [string] $Uri, $Body, [switch] $Open) {
    $answer = Invoke-Call $Method $Uri $Body -Open:$Open
    $json = $answer.Content | ConvertFrom-Json
    if ($answer.StatusCode -ge 400) { throw $json.detail }
    $json
}

function Update-Token {
    $script:token = (Read-Answer Post "$insurer/auth/token" $credentials -Open).access_token
}

# All of them: each page but the last names the next in its header Link.
function Get-Policy {
    $next = "$insurer/policies?pageSize=2"
    while ($next) {
        $answer = Invoke-Call Get $next
        ($answer.Content | ConvertFrom-Json).items
        $next = $answer.RelationLink['next']
    }
}

# A vehicle that nobody else has, or hardly.
function New-Plate {
    $letters = 'ABCDEGHIJKLMNOPRSTUWY'.ToCharArray()
    '{0}{1}-{2:d4}' -f (Get-Random $letters), (Get-Random $letters), (Get-Random -Minimum 1 -Maximum 10000)
}

$credentials = Read-Answer Post "$insurer/demo-clients" -Open
Update-Token
$option = (Read-Answer Get "$insurer/coverage-options").options[0].code
$drafts = 1..3 | ForEach-Object { @{ regNumber = New-Plate; holder = 'Ada Example'; coverageOption = $option } }
$policies = $drafts | ForEach-Object { Read-Answer Post "$insurer/policies" $_ }
$policy = $policies[0]
$address = "$insurer/policies/$($policy.id)"
"insured: $((Read-Answer Get $address).regNumber)"
"holder: $((Read-Answer Put $address @{ holder = 'Grace Example' }).holder)"
"policies: $(@(Get-Policy).Count)"
"again: $((Invoke-Call Post "$insurer/policies" $drafts[0]).StatusCode)"
"cancelled: $((Read-Answer Post "$address/cancel").status)"

$claim = Read-Answer Post "$claims/claims" @{ policyNumber = $policy.id; paceSeconds = 1 }
"claim: $($claim.status)"
$batch = Read-Answer Get "$claims/topics/claims.status-changed?after=earliest&wait=10"
"event: $($batch.events[0].data.newStatus)"

$envelope = @"
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1">
<RegNumber>$($policy.regNumber)</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>
"@
"vehicle: $((Invoke-WebRequest "$url/vehicle-registry/v1" -Method Post -ContentType 'text/xml' -Body $envelope).StatusCode)"

if ($env:HMAC_SECRET) {
    $body = "{""regNumber"":""$($policy.regNumber)""}"
    $mac = [Security.Cryptography.HMACSHA256]::new([Text.Encoding]::UTF8.GetBytes($env:HMAC_SECRET))
    $signature = [Convert]::ToHexString($mac.ComputeHash([Text.Encoding]::UTF8.GetBytes($body))).ToLower()
    $check = @{ Method = 'Post'; ContentType = 'application/json'; Body = $body; Headers = @{ 'X-Signature' = $signature } }
    "signed: $((Invoke-RestMethod "$insurer/signed/policy-check" @check).insured)"
}
